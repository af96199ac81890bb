import { Transform } from "node:stream";
import { type Clock, yieldToOthers } from "@rubrica/runtime";
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload, RouteOptions } from "fastify";
import { z } from "zod";
import { Bodies, type BodyRefusal, type HeldBody } from "./body-budget.ts";
import { BUSY_TEXT, errorBodiesOf, TOO_SLOW_TEXT } from "./error-bodies.ts";
import { HttpError } from "./errors.ts";
import { type Sender, senderOf } from "./senders.ts";

/** What one sender's bodies may hold by default, in bytes; all senders of the kind together twice as much. */
const SENDER_BYTES: Record<Sender["kind"], number> = {
  account: 67_108_864,
  link: 25_165_824,
  address: 25_165_824,
};
const RETRY_AFTER_SECONDS = 5;
/** What the runtime reads of a connection at once, in bytes: after so many, more is there already. */
const WHOLE_READ_BYTES = 65_536;
const BODILESS = ["GET", "HEAD"];

const errorOf = (text: string, description: string) =>
  z
    .object({ error: z.string() })
    .meta({ examples: [{ error: text }] })
    .describe(description);
const TooBusy = errorOf(BUSY_TEXT, "Too much is being done; `retry-after` tells when to try again.");
const TooSlow = errorOf(TOO_SLOW_TEXT, "The body came too slowly.");

const refusalOf = (why: BodyRefusal, request: FastifyRequest, reply: FastifyReply): HttpError => {
  const { busy, tooSlow } = errorBodiesOf(request);
  if (why === "too_slow") return new HttpError(408, tooSlow);
  reply.header("retry-after", RETRY_AFTER_SECONDS);
  return new HttpError(503, busy);
};

/**
 * A request's body on its way to its parser, counted as it comes, and read once in each iteration of the event loop: left to
 * itself Node reads 2 MB of each connection at a time, and many senders of long bodies hold up everybody.
 */
const counted = (payload: RequestPayload, held: HeldBody, tooBusy: () => HttpError): Transform => {
  const counter = new Transform({
    async transform(chunk: Buffer, _encoding, done) {
      if (!held.arrived(chunk.length)) return done(tooBusy());
      if (chunk.length >= WHOLE_READ_BYTES) await yieldToOthers();
      done(null, chunk);
    },
    flush(done) {
      held.complete();
      done();
    },
  });
  payload.once("error", (error) => counter.destroy(error));
  payload.once("close", () => {
    if (!counter.writableEnded) counter.destroy(new Error("the body broke off"));
  });
  // What is not taken is still read to its end, and thrown away: its sender is to see the answer.
  counter.once("error", () => {
    payload.unpipe(counter);
    payload.resume();
  });
  return payload.pipe(counter);
};

/** The largest body that a route takes, by who its senders are. */
const largestBodies = (routes: readonly RouteOptions[], fallbackBytes: number): Record<Sender["kind"], number> => {
  const largest = { account: 0, link: 0, address: 0 };
  for (const { config, bodyLimit = fallbackBytes } of routes) {
    const kind = config?.countedBy === "key" ? "account" : config?.countedBy === "link" ? "link" : "address";
    largest[kind] = Math.max(largest[kind], bodyLimit);
  }
  return largest;
};

const announcedBytesOf = ({ headers }: FastifyRequest): number | null =>
  headers["content-length"] === undefined ? null : Number(headers["content-length"]);

/**
 * Bounds what bodies hold of the memory, those with a good key, with a good link and with neither apart: within each, one
 * sender may hold half. What is over the budget is a 503 with `retry-after`, what comes too slowly a 408.
 */
export const bodyIntake = (app: FastifyInstance, clock: Clock, fallbackBytes: number): void => {
  const routes: RouteOptions[] = [];
  const bodies = new Map<Sender["kind"], Bodies>();
  const inHand = new WeakMap<FastifyRequest, HeldBody>();
  app.addHook("onRoute", (route) => {
    if ([route.method].flat().every((method) => BODILESS.includes(method))) return;
    routes.push(route);
    if (route.schema?.response) route.schema.response = { 408: TooSlow, 503: TooBusy, ...route.schema.response };
  });
  app.addHook("onReady", async () => {
    const largest = largestBodies(routes, fallbackBytes);
    for (const kind of ["account", "link", "address"] as const) {
      const senderBytes = Math.max(SENDER_BYTES[kind], largest[kind]);
      bodies.set(kind, new Bodies(clock, { senderBytes, totalBytes: 2 * senderBytes }));
    }
  });
  app.addHook("preParsing", (request, reply, payload, done) => {
    const announcedBytes = announcedBytesOf(request);
    const hasBody = announcedBytes !== 0 && (announcedBytes !== null || "transfer-encoding" in request.headers);
    const isTooLarge = (announcedBytes ?? 0) > request.routeOptions.bodyLimit;
    // What is too large by its own word is refused by its parser, unread.
    if (!hasBody || isTooLarge || BODILESS.includes(request.method)) return done(null, payload);
    const sender = senderOf(request);
    const refuse = (why: BodyRefusal) => counter.destroy(refusalOf(why, request, reply));
    const held = bodies.get(sender.kind)?.open(sender, announcedBytes, refuse);
    if (!held) return done(refusalOf("over_budget", request, reply));
    const counter = counted(payload, held, () => refusalOf("over_budget", request, reply));
    inHand.set(request, held);
    done(null, counter);
  });
  // Not as soon as the sender is gone: the body stays in memory until the route has answered.
  app.addHook("onSend", (request, _reply, payload, done) => {
    inHand.get(request)?.release();
    done(null, payload);
  });
};
