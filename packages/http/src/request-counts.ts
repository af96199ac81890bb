import type { Runtime } from "@rubrica/runtime";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { errorBodiesOf, TOO_MANY_REQUESTS_TEXT } from "./error-bodies.ts";
import { HttpError } from "./errors.ts";
import { unroutedAnswers } from "./methods.ts";
import { createRateLimiter, type RateLimiter } from "./rate-limit.ts";
import { addressClasses, senderOf } from "./senders.ts";

/** How many requests a minute each may make; undefined: as many as they like. */
export interface RateLimits {
  perKey?: number | undefined;
  /** Of one signing link or public file. A quarter of them may send something. */
  perLink?: number | undefined;
  /** Of all callers of one network address that show neither a good key nor a good link. */
  perAddress?: number | undefined;
}

interface Limiters {
  key: RateLimiter | undefined;
  link: RateLimiter | undefined;
  linkSends: RateLimiter | undefined;
  address: RateLimiter | undefined;
}

declare module "fastify" {
  interface FastifyInstance {
    limiters: Limiters;
  }
  interface FastifyContextConfig {
    /** By what the route counts its requests; default by address. `nobody`: what costs nothing or must always answer. */
    countedBy?: "key" | "link" | "nobody";
    /** What a caller is answered who makes too many requests, where 429 means something else. */
    limitedStatus?: 503;
  }
}

const PART_THAT_SENDS = 4;

const TooManyRequests = z
  .object({ error: z.string() })
  .meta({ examples: [{ error: TOO_MANY_REQUESTS_TEXT }] })
  .describe("Too many requests in this minute; `retry-after` tells for how many seconds.");

/** Counts a request, and refuses it when it is one too many: 429 with `retry-after`. */
const count = (limiter: RateLimiter | undefined, name: string, request: FastifyRequest, reply: FastifyReply): void => {
  if (!limiter) return;
  const { allowed, remaining, resetSeconds } = limiter.take(name);
  reply.headers({
    "ratelimit-limit": limiter.perMinute,
    "ratelimit-remaining": remaining,
    "ratelimit-reset": resetSeconds,
  });
  if (allowed) return;
  reply.header("retry-after", resetSeconds);
  throw new HttpError(request.routeOptions.config.limitedStatus ?? 429, errorBodiesOf(request).tooManyRequests);
};

/** Counts a request that showed a good key. @throws {HttpError} when the key has made too many. */
export const countKey = (
  request: FastifyRequest,
  reply: FastifyReply,
  { accountId, keyId }: { accountId: string; keyId: string },
): void => {
  request.sender = { kind: "account", name: `account:${accountId}` };
  count(request.server.limiters.key, keyId, request, reply);
};

/** Counts a request that showed a good link. `opens`: what the link opens. @throws {HttpError} when there were too many. */
export const countLink = (request: FastifyRequest, reply: FastifyReply, opens: string): void => {
  request.sender = { kind: "link", name: `link:${opens}` };
  const { link, linkSends } = request.server.limiters;
  count(link, opens, request, reply);
  if (request.method === "POST") count(linkSends, opens, request, reply);
};

/** Counts a request that showed neither a good key nor a good link. @throws {HttpError} when its address sent too many. */
export const countStranger = (request: FastifyRequest, reply: FastifyReply): void =>
  count(request.server.limiters.address, senderOf(request).name, request, reply);

/** The routes that are registered with `app` from here on count their own requests, or need no counting. */
export const countedBy = (app: FastifyInstance, what: "key" | "link" | "nobody"): void => {
  app.addHook("onRoute", (route) => {
    route.config = { ...route.config, countedBy: what };
  });
};

/**
 * Counts the requests of all routes that don't count their own, and answers those to addresses that there are not; before
 * a byte of a body is read. Every counted answer tells `ratelimit-limit`, `ratelimit-remaining` and `ratelimit-reset`
 * (draft-ietf-httpapi-ratelimit-headers-07).
 */
export const countRequests = (app: FastifyInstance, { clock, random }: Runtime, limits: RateLimits): void => {
  const limiter = (perMinute: number | undefined) =>
    perMinute === undefined ? undefined : createRateLimiter({ clock, perMinute });
  const { perKey, perLink, perAddress } = limits;
  app.decorateRequest("sender", null);
  app.decorate("addressClass", addressClasses(random));
  app.decorate("limiters", {
    key: limiter(perKey),
    link: limiter(perLink),
    linkSends: limiter(perLink && Math.ceil(perLink / PART_THAT_SENDS)),
    address: limiter(perAddress),
  });
  app.addHook("onRoute", ({ schema, config }) => {
    if (schema?.response && config?.countedBy !== "nobody") {
      schema.response = { 429: TooManyRequests, ...schema.response };
    }
  });
  const unrouted = unroutedAnswers(app);
  app.addHook("onRequest", async (request, reply) => {
    if (request.routeOptions.config.countedBy === undefined) countStranger(request, reply);
    if (request.is404) throw unrouted(request, reply);
  });
};
