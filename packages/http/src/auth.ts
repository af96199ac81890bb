import type { Clock } from "@rubrica/runtime";
import { apiKeySha256 } from "@rubrica/secrets";
import type { FastifyRequest } from "fastify";
import fastifyPlugin from "fastify-plugin";
import { z } from "zod";
import type { AccountDirectory, KeyEntry } from "./account-directory.ts";
import { BLOCKED_KEY_TEXT, errorBodiesOf } from "./error-bodies.ts";
import { HttpError, UnreadableAccount } from "./errors.ts";
import { refreshGate } from "./refresh-gate.ts";
import { countedBy, countKey, countStranger } from "./request-counts.ts";
import type { HttpServer } from "./server.ts";

/** Who sent a request: the account, and the key that it used. */
export interface Caller {
  accountId: string;
  keyId: string;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set by {@link apiKeyAuth} before anything else of the request is looked at; null on routes without it. */
    caller: Caller | null;
  }
}

/** The request's caller. @throws {Error} on a route that {@link apiKeyAuth} does not guard. */
export const callerOf = (request: FastifyRequest): Caller => {
  if (!request.caller) throw new Error("this route is not guarded by apiKeyAuth");
  return request.caller;
};

/** Longer headers are no key of ours. */
const MAX_KEY_LENGTH = 256;

/** At least this long from one look at the store for an unknown key to the next. */
const REFRESH_PAUSE_MS = 100;

const keyOf = (request: FastifyRequest): string | undefined => {
  const key = request.headers["x-api-key"];
  return typeof key === "string" && key.length > 0 && key.length <= MAX_KEY_LENGTH ? key : undefined;
};

/** For who sent a key where others take it. */
const clueFor = ({ headers }: FastifyRequest): { clue?: string } =>
  headers.authorization !== undefined && headers["x-api-key"] === undefined
    ? { clue: "The API key goes in the header x-api-key" }
    : {};

/** The name of the security scheme in the OpenAPI description. */
export const API_KEY_SCHEME = "apiKey";

const Unauthorized = z
  .object({ error: z.string(), clue: z.string().optional().describe("What to do, where that can be told") })
  .meta({ examples: [{ error: "Unauthorized" }] })
  .describe("The key is missing, unknown or revoked.");
const Blocked = z
  .object({ error: z.string() })
  .meta({ examples: [{ error: BLOCKED_KEY_TEXT }] })
  .describe("The key is blocked.");

export interface ApiKeyAuthOptions {
  directory: AccountDirectory;
  clock: Clock;
}

/**
 * Guards every route of the scope that it is registered in by the header `x-api-key`, before the body is read: 401 for
 * a key that is missing, unknown or revoked, 403 for a blocked one. A key that is not known yet is looked for in the
 * store once, so that one just made works at once. 503 for the keys of an account that can't be read, and for unknown
 * ones while there is such an account. Counts each key's requests, and those without a good key by address.
 * Routes find their caller by {@link callerOf}.
 */
export const apiKeyAuth = fastifyPlugin(async (app: HttpServer, { directory, clock }: ApiKeyAuthOptions) => {
  const refresh = refreshGate(() => directory.refresh(), clock, REFRESH_PAUSE_MS);

  const entryOf = async (request: FastifyRequest): Promise<KeyEntry | undefined> => {
    const key = keyOf(request);
    if (key === undefined) return undefined;
    const sha256 = apiKeySha256(key);
    const known = await directory.find(sha256);
    if (known) return known;
    await refresh();
    return directory.find(sha256);
  };

  countedBy(app, "key");
  app.addHook("onRoute", ({ schema }) => {
    if (schema && !schema.security) schema.security = [{ [API_KEY_SCHEME]: [] }];
    if (schema?.response) schema.response = { 401: Unauthorized, 403: Blocked, ...schema.response };
  });
  app.addHook("onRequest", async (request, reply) => {
    const entry = await entryOf(request);
    if (!entry) {
      countStranger(request, reply);
      if (keyOf(request) !== undefined && (await directory.anyUnreadable())) throw new UnreadableAccount();
      throw new HttpError(401, { ...errorBodiesOf(request).unauthorized, ...clueFor(request) });
    }
    countKey(request, reply, entry);
    if (entry.blocked) throw new HttpError(403, errorBodiesOf(request).blocked);
    request.caller = { accountId: entry.accountId, keyId: entry.keyId };
  });
});
