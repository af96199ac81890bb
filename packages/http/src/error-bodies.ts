import type { FastifyRequest } from "fastify";
import { z } from "zod";

/** One thing wrong with a request: where, by the caller's own path (`datos_firmantes[2].dni`), and what; never the value. */
export interface Fault {
  path: string;
  message: string;
}

/** The schema of a 400 that names all that is wrong, with one such fault as its example. */
export const badRequest = (example: Fault, description: string) =>
  z
    .object({ error: z.string(), details: z.array(z.object({ path: z.string(), message: z.string() })) })
    .meta({ examples: [{ error: "Bad Request", details: [example] }] })
    .describe(description);

/** The bodies that a route answers errors with; what it does not name has the default shape `{error: <text>}`. */
export interface ErrorBodies {
  /** 400: broken JSON, another content type, a body that does not fit its schema. */
  badRequest?: (faults: readonly Fault[]) => object;
  /** 401 */
  unauthorized?: object;
  /** 403: the key is blocked. */
  blocked?: object;
  /** 413 */
  tooLarge?: (limitBytes: number) => object;
  /** 415: the body is compressed, or in another charset than UTF-8. */
  unsupportedEncoding?: (message: string) => object;
  /** 429: the key, link or address made too many requests. */
  tooManyRequests?: object;
  /** 408: the body came too slowly. */
  tooSlow?: object;
  /** 500: whatever went wrong on this side. */
  internal?: object;
  /** 503: too much is being done; `retry-after` tells when to come again. */
  busy?: object;
  /** 503: what is asked for is there, and damaged; `retry-after` tells when to come again. */
  unreadable?: object;
  /** 503: an engine does not answer; `retry-after` tells when to come again. */
  unreachable?: object;
  /** 503: what is asked for can't be told yet; `retry-after` tells when to come again. */
  notYet?: object;
}

declare module "fastify" {
  interface FastifyContextConfig {
    errors?: ErrorBodies;
  }
}

/** The text that tells a caller that the key is blocked, on every endpoint. */
export const BLOCKED_KEY_TEXT = "Tu API Key se encuentra bloqueada. Por favor contacta a soporte.";

/** The text that tells a caller that others come first. */
export const BUSY_TEXT = "Too much is being done at once; try again later";

/** The text that tells a caller that what is kept of it is damaged, until the operator has mended it. */
export const UNREADABLE_TEXT = "This can't be read at the moment; try again later";

/** The text that tells a caller that something behind the service is down. */
export const UNREACHABLE_TEXT = "A part of the service can't be reached at the moment; try again later";

/** The text that tells a caller that an answer would leave out what was written. */
export const NOT_YET_TEXT = "What was written is not ready to be read yet; try again shortly";

/** The text that tells a caller to send a body as it is. */
export const CONTENT_ENCODING_TEXT = "Content-Encoding is not supported: send the body as it is";

/** The text that tells a caller to make fewer requests. */
export const TOO_MANY_REQUESTS_TEXT = "Too many requests; try again later";

/** The text that tells a caller that a body came too slowly. */
export const TOO_SLOW_TEXT = "The body came too slowly";

const defaultBodies: Required<ErrorBodies> = {
  badRequest: (faults) => ({ error: "Bad Request", details: faults }),
  unauthorized: { error: "Unauthorized" },
  blocked: { error: BLOCKED_KEY_TEXT },
  tooLarge: (limitBytes) => ({ error: tooLargeText(limitBytes) }),
  unsupportedEncoding: (message) => ({ error: message }),
  tooManyRequests: { error: TOO_MANY_REQUESTS_TEXT },
  tooSlow: { error: TOO_SLOW_TEXT },
  internal: { error: "Internal Server Error" },
  busy: { error: BUSY_TEXT },
  unreadable: { error: UNREADABLE_TEXT },
  unreachable: { error: UNREACHABLE_TEXT },
  notYet: { error: NOT_YET_TEXT },
};

/** Says that a body is too large, for the `tooLarge` body of a route with a shape of its own. */
export const tooLargeText = (limitBytes: number): string => `Request body is larger than ${limitBytes} bytes`;

/** The error bodies of a request's route. */
export const errorBodiesOf = (request: FastifyRequest): Required<ErrorBodies> => ({
  ...defaultBodies,
  ...request.routeOptions.config.errors,
});
