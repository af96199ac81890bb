import { BadRequestError, CONTENT_ENCODING_TEXT, type Fault } from "@rubrica/http";
import type { FastifyRequest } from "fastify";
import { z } from "zod";

/** What may be left out may also be null. */
export const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined);

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

/** A body as its schema makes it; or, where the schema finds faults in the request, as it came, with these. */
export type Parsed<Body> = { ok: true; body: Body } | { ok: false; given: unknown; faults: readonly Fault[] };

/**
 * The body of a request whose route has `attachValidation`, so that its schema's faults are told together with all others.
 * @throws whatever else kept it from being parsed.
 */
export const parsedBody = <Body>({
  body,
  validationError,
}: Pick<FastifyRequest, "validationError"> & { body: Body }): Parsed<Body> => {
  if (!validationError) return { ok: true, body };
  if (validationError instanceof BadRequestError) return { ok: false, given: body, faults: validationError.faults };
  throw validationError;
};
