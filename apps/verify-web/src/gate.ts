import { finished } from "node:stream";
import { createRateLimiter, HttpError, type HttpServer, senderOf, TOO_MANY_REQUESTS_TEXT } from "@rubrica/http";
import type { Clock } from "@rubrica/runtime";

const RETRY_AFTER_SECONDS = 5;

export const TOO_BUSY_TEXT = "Too many files are being checked; try again later";

/** What all who send files may take together, and what one address may. */
export interface GateLimits {
  /** Files that one network address may send in a minute. Default 60. */
  perMinute?: number;
  /** Files that arrive or are being checked at once. Default 16: each may take as much memory as a document may. */
  atOnce?: number;
  /** Of these, from one network address. Default 4. */
  atOnceOfOne?: number;
}

/** Turns requests away (429, 503, with `retry-after`) before their bodies are read. For routes that take no key. */
export const limitSenders = (app: HttpServer, clock: Clock, limits: GateLimits = {}): void => {
  const { perMinute = 60, atOnce = 16, atOnceOfOne = 4 } = limits;
  const limiter = createRateLimiter({ clock, perMinute });
  const inFlight = new Map<string, number>();
  let all = 0;
  app.addHook("onRequest", async (request, reply) => {
    const sender = senderOf(request).name;
    const { allowed, resetSeconds } = limiter.take(sender);
    if (!allowed) {
      reply.header("retry-after", resetSeconds);
      throw new HttpError(429, { error: TOO_MANY_REQUESTS_TEXT });
    }
    const ofSender = inFlight.get(sender) ?? 0;
    if (all >= atOnce || ofSender >= atOnceOfOne) throw tooBusy(reply);
    all += 1;
    inFlight.set(sender, ofSender + 1);
    finished(reply.raw, () => {
      all -= 1;
      const left = (inFlight.get(sender) ?? 1) - 1;
      if (left > 0) inFlight.set(sender, left);
      else inFlight.delete(sender);
    });
  });
};

/** The answer to who comes while too many files are being checked. */
const tooBusy = (reply: { header(name: string, value: number): unknown }): HttpError => {
  reply.header("retry-after", RETRY_AFTER_SECONDS);
  return new HttpError(503, { error: TOO_BUSY_TEXT });
};
