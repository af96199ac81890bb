import { JsonBoundExceeded, type JsonBounds, NotUnicode, readJson } from "@rubrica/json";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { CONTENT_ENCODING_TEXT } from "./error-bodies.ts";
import { BadRequestError, HttpError, UnsupportedEncodingError } from "./errors.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** What a JSON body may hold; what is left out has a default. */
    json?: Partial<JsonBounds>;
  }
}

/** As many values and as deep as bodies of a megabyte need to be, and read in some 10 ms. */
const DEFAULT_BOUNDS: JsonBounds = { values: 40_000, depth: 64 };

/** JSON is UTF-8 (RFC 8259), of which ASCII is a part. */
const CHARSETS: ReadonlySet<string> = new Set(["utf-8", "utf8", "us-ascii", "ascii"]);
const CHARSET = /;\s*charset\s*=\s*("?)([^";\s]*)\1/gi;

/**
 * How bodies are read: as they are, or not at all where they are encoded; JSON within the route's bounds, found out
 * before anything is made of it, and slice by slice where it is long. Fastify's own reader makes whatever
 * JSON is sent at once.
 */
export const readBodies = (app: FastifyInstance): void => {
  app.removeContentTypeParser(["application/json", "text/plain"]);
  const parseSafely = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, async (request: FastifyRequest, body: Buffer) => {
    const parse = (text: string): unknown => {
      let outcome: { error: Error | null; value?: unknown } = { error: null };
      parseSafely(request, text, (error, value) => {
        outcome = { error, value };
      });
      if (outcome.error) throw outcome.error;
      return outcome.value;
    };
    const bounds = { ...DEFAULT_BOUNDS, ...request.routeOptions.config.json };
    try {
      return await readJson(body, bounds, parse);
    } catch (error) {
      throw toAnswer(error, bounds);
    }
  });
  // After the hooks that look at who asks, before a byte of the body is read.
  app.addHook("preParsing", (request, _reply, payload, done) => done(encodingFault(request), payload));
};

/** Why a body can't be read as it is encoded, or null when it can. What has no body is encoded in nothing. */
const encodingFault = ({ method, headers }: FastifyRequest): UnsupportedEncodingError | null => {
  if (method === "GET" || method === "HEAD") return null;
  const codings = (headers["content-encoding"] ?? "").split(",").map((coding) => coding.trim().toLowerCase());
  if (codings.some((coding) => coding !== "" && coding !== "identity")) {
    return new UnsupportedEncodingError(CONTENT_ENCODING_TEXT);
  }
  const type = headers["content-type"] ?? "";
  if (!/^\s*application\/json\b/i.test(type)) return null;
  const charsets = [...type.matchAll(CHARSET)].map(([, , name = ""]) => name.toLowerCase());
  return charsets.every((charset) => CHARSETS.has(charset))
    ? null
    : new UnsupportedEncodingError("The charset is not supported: JSON is sent in UTF-8");
};

/** What is wrong with a body's JSON, as the route's own answer. */
const toAnswer = (error: unknown, { longText }: JsonBounds): unknown => {
  if (error instanceof NotUnicode) return notUnicode(error);
  if (error instanceof SyntaxError) return fault("", "the body is not valid JSON");
  return error instanceof JsonBoundExceeded ? exceeded(error, longText) : error;
};

const fault = (path: string, message: string) => new BadRequestError([{ path, message }]);

const notUnicode = ({ path }: NotUnicode) =>
  path === ""
    ? fault("", "the body is not valid UTF-8")
    : fault(path, "must not hold half a character: a surrogate without its pair");

const exceeded = ({ bound, path, limit }: JsonBoundExceeded, longText: string | undefined): Error => {
  switch (bound) {
    case "values":
      return fault(path, `the body must hold at most ${limit} values`);
    case "depth":
      return fault(path, `must not be nested deeper than ${limit}`);
    case "bytes":
      return new HttpError(413, { error: `The body is larger than ${limit} bytes beside ${longText}` });
    case "rows":
      return new HttpError(413, { error: `${path} has more than ${limit} elements` });
    case "row":
      return new HttpError(413, { error: `${path} is larger than ${limit} bytes` });
    default:
      return bound satisfies never;
  }
};
