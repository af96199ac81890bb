import type { Fault, HttpServer } from "@rubrica/http";
import { distance } from "fastest-levenshtein";
import type { FastifyRequest } from "fastify";

/** What is odd about a request that was taken: a JSON array of `{path, message}`, in ASCII. */
const WARNINGS_HEADER = "rubrica-warnings";

const MAX_WARNINGS = 20;
/** Proxies take 8 KB of headers and more. */
const MAX_HEADER_BYTES = 4_096;

declare module "fastify" {
  interface FastifyRequest {
    /** What the answer tells beside its body; see {@link WARNINGS_HEADER}. */
    warnings: Fault[] | null;
  }
}

const asHeader = (warnings: readonly Fault[]): string =>
  JSON.stringify(warnings).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Has the answers of the scope's routes tell what was noted of their requests. Routes are to be registered after it. */
export const tellWarnings = (app: HttpServer): void => {
  app.decorateRequest("warnings", null);
  app.addHook("onSend", async (request, reply) => {
    const warnings = request.warnings?.slice(0, MAX_WARNINGS) ?? [];
    while (warnings.length > 0 && asHeader(warnings).length > MAX_HEADER_BYTES) warnings.pop();
    if (warnings.length > 0) reply.header(WARNINGS_HEADER, asHeader(warnings));
  });
};

/** Notes what is odd about a request. */
export const warn = (request: FastifyRequest, warnings: readonly Fault[]): void => {
  request.warnings = [...(request.warnings ?? []), ...warnings].slice(0, MAX_WARNINGS);
};

/** The same of what is told whatever else is odd. */
export const warnFirst = (request: FastifyRequest, warnings: readonly Fault[]): void => {
  request.warnings = [...warnings, ...(request.warnings ?? [])].slice(0, MAX_WARNINGS);
};

/** Names beyond these are not compared: a caller may send thousands. */
const MAX_NAMES = 100;
const MAX_NAME_LENGTH = 40;
/** Of a name's letters, so many may be others. */
const MISSPELT = 1 / 3;

const plain = (name: string): string => name.toLowerCase().replace(/[-_\s]/g, "");

/** The known name that is likely meant. */
const meantBy = (name: string, known: readonly string[]): string | undefined => {
  const most = Math.min(2, Math.floor(name.length * MISSPELT));
  return known.find((candidate) => distance(plain(name), plain(candidate)) <= most);
};

/** Fields that nobody reads, and whose names are nearly those of fields that are missing. */
export const misspeltFields = (given: unknown, known: readonly string[], path = ""): Fault[] => {
  if (typeof given !== "object" || given === null) return [];
  const names = Object.keys(given).slice(0, MAX_NAMES);
  const missing = known.filter((name) => !names.includes(name));
  return names.flatMap((name) => {
    const isKnown = known.includes(name) || name.length > MAX_NAME_LENGTH;
    const meant = isKnown ? undefined : meantBy(name, missing);
    return meant === undefined ? [] : [{ path: `${path}${name}`, message: `is no field; is ${meant} meant?` }];
  });
};
