import { BadRequestError, CONTENT_ENCODING_TEXT, type Fault } from "@rubrica/http";
import type { FastifyRequest } from "fastify";
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

/**
 * What is wrong with a request by its schema alone, where its route has that told beside what else is wrong with it.
 * @throws whatever else kept it from being parsed.
 */
export const schemaFaultsOf = ({ validationError }: FastifyRequest): readonly Fault[] => {
  if (!validationError) return [];
  if (validationError instanceof BadRequestError) return validationError.faults;
  throw validationError;
};
