import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { finished } from "node:stream";
import { createRateLimiter, HttpError, type HttpServer, TOO_MANY_REQUESTS_TEXT } from "@rubrica/http";
import type { Clock } from "@rubrica/runtime";

/** Addresses are counted in this many classes, so that no number of them fills the memory. */
const CLASSES = 16_384;
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

/** An IPv4 address, or the network that one subscriber usually has (RFC 6177: at least a /64). */
const networkOf = (address: string): string => {
  const plain = address.replace(/^::ffff:/, "");
  if (isIP(plain) !== 6) return plain;
  return (plain.split("::")[0] ?? "").split(":").slice(0, 4).join(":");
};

/** What an address is counted as. */
export const classOf = (address: string): string =>
  String(createHash("sha256").update(networkOf(address)).digest().readUInt32BE() % CLASSES);

/** Turns requests away (429, 503, with `retry-after`) before their bodies are read. For routes that take no key. */
export const limitSenders = (app: HttpServer, clock: Clock, limits: GateLimits = {}): void => {
  const { perMinute = 60, atOnce = 16, atOnceOfOne = 4 } = limits;
  const limiter = createRateLimiter({ clock, perMinute });
  const inFlight = new Map<string, number>();
  let all = 0;
  app.addHook("onRequest", async (request, reply) => {
    const sender = classOf(request.ip);
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
