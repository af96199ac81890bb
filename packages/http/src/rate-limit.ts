import type { Clock } from "@rubrica/runtime";
import fastifyPlugin from "fastify-plugin";
import { z } from "zod";
import { callerOf } from "./auth.ts";
import { errorBodiesOf, HttpError, TOO_MANY_REQUESTS_TEXT } from "./errors.ts";
import type { HttpServer } from "./server.ts";

const WINDOW_MS = 60_000;

/** What became of one request. */
export interface Taken {
  allowed: boolean;
  /** Requests that may still come in this minute. */
  remaining: number;
  /** Until the count starts anew, in whole seconds, at least 1. */
  resetSeconds: number;
}

/** Counts requests by key; one limiter is shared by all that count together. */
export interface RateLimiter {
  perMinute: number;
  take(key: string): Taken;
}

/**
 * Lets each key make `perMinute` requests in the minute that begins with its first. Counts in memory, for this process:
 * one entry a key, and only keys that exist are counted.
 */
export const createRateLimiter = ({ clock, perMinute }: { clock: Clock; perMinute: number }): RateLimiter => {
  const windows = new Map<string, { beganMs: number; count: number }>();
  return {
    perMinute,
    take(key) {
      const nowMs = clock.monotonicMs();
      const current = windows.get(key);
      const window = current && nowMs < current.beganMs + WINDOW_MS ? current : { beganMs: nowMs, count: 0 };
      windows.set(key, window);
      const allowed = window.count < perMinute;
      if (allowed) window.count += 1;
      const resetSeconds = Math.max(1, Math.ceil((window.beganMs + WINDOW_MS - nowMs) / 1_000));
      return { allowed, remaining: perMinute - window.count, resetSeconds };
    },
  };
};

const TooManyRequests = z
  .object({ error: z.string() })
  .meta({ examples: [{ error: TOO_MANY_REQUESTS_TEXT }] })
  .describe("The key has made too many requests; `retry-after` tells for how many seconds.");

/**
 * Limits the requests of each API key in the scope that it is registered in, after `apiKeyAuth` and before the body is
 * read: 429 with `retry-after`. Every answer tells `ratelimit-limit`, `ratelimit-remaining` and `ratelimit-reset`
 * (draft-ietf-httpapi-ratelimit-headers-07).
 */
export const rateLimit = fastifyPlugin(async (app: HttpServer, { limiter }: { limiter: RateLimiter }) => {
  app.addHook("onRoute", ({ schema }) => {
    if (schema?.response) schema.response = { 429: TooManyRequests, ...schema.response };
  });
  app.addHook("onRequest", async (request, reply) => {
    const { allowed, remaining, resetSeconds } = limiter.take(callerOf(request).keyId);
    reply.headers({
      "ratelimit-limit": limiter.perMinute,
      "ratelimit-remaining": remaining,
      "ratelimit-reset": resetSeconds,
    });
    if (allowed) return;
    reply.header("retry-after", resetSeconds);
    throw new HttpError(429, errorBodiesOf(request).tooManyRequests);
  });
});
