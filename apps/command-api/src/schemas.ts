import { CONTENT_ENCODING_TEXT } from "@rubrica/http";
import { z } from "zod";

/** An error whose body is one text. */
export const errorText = (example: string, description: string) =>
  z
    .object({ error: z.string() })
    .meta({ examples: [{ error: example }] })
    .describe(description);

/** What every route with a body answers to one that is encoded. */
export const unsupportedEncoding = errorText(
  CONTENT_ENCODING_TEXT,
  "The body is compressed, or in another charset than UTF-8.",
);
