import { z } from "zod";

/** An error whose body is one text. */
export const errorText = (example: string, description: string) =>
  z
    .object({ error: z.string() })
    .meta({ examples: [{ error: example }] })
    .describe(description);
