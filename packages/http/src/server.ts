import type { IncomingMessage, ServerResponse } from "node:http";
import type { Runtime } from "@rubrica/runtime";
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyServerOptions,
  fastify,
  type RawServerDefault,
} from "fastify";
import { serializerCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import { readBodies } from "./bodies.ts";
import { bodyIntake } from "./body-intake.ts";
import { errorHandler, handleNotFound, type OutageTest, zodValidatorCompiler } from "./errors.ts";
import { countRequests, type RateLimits } from "./request-counts.ts";
import { type AnsweredRequest, logRequests, QuietLogController } from "./request-log.ts";
import { discardUnreadBodies } from "./unread-bodies.ts";

/** A Fastify instance whose schemas are zod's. */
export type HttpServer = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** Routes to register with an {@link HttpServer}. */
export type HttpPlugin = FastifyPluginAsync<Record<never, never>, RawServerDefault, ZodTypeProvider>;

/** What one client may take of the server. All are configurable, all have a default. */
export interface HttpLimits {
  /** Largest body of a request; a route may set its own `bodyLimit`. Default 1 MiB. */
  bodyLimitBytes?: number;
  /** For a request's headers to arrive. Default 15 s. */
  headersTimeoutMs?: number;
  /** For a whole request to arrive. Default 120 s. */
  requestTimeoutMs?: number;
  /** How long an idle connection is kept. Default 72 s (longer than a load balancer's usual 60 s). */
  keepAliveTimeoutMs?: number;
  /** Connections at once; more are dropped. Default 10,000; one address may hold a quarter, where no proxy is named. */
  maxConnections?: number;
}

export interface HttpServerOptions extends HttpLimits {
  /** Default: nobody's requests are limited. */
  rates?: RateLimits;
  runtime: Runtime;
  /** See `createLogger`. */
  logger: FastifyBaseLogger;
  /** Told of each request when its answer is out, or its client gone. */
  onAnswered?: ((request: AnsweredRequest) => void) | undefined;
  /** Default: no error is that of an engine that does not answer. */
  isOutage?: OutageTest;
  /** Whose `X-Forwarded-*` headers are believed: of so many proxies in front, or of these addresses; default nobody's. */
  trustProxy?: false | number | readonly string[];
}

/** Node's limit for a request's head, path included, so that no path parameter is too long for the router. */
const MAX_HEADER_BYTES = 16_384;

/** Escapes a path that is no valid percent-encoding, so that a broken id is an unknown id and nothing else. */
const decodablePath = (url: string): string => {
  if (!url.includes("%")) return url;
  const queryAt = url.indexOf("?");
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll("%", "%25") + url.slice(path.length);
  }
};

type Compilers = NonNullable<NonNullable<FastifyServerOptions["schemaController"]>["compilersFactory"]>;
/**
 * Given when the server is made, so that Fastify's own compilers, a hundred modules, are not loaded. Its types know
 * those of JSON Schema alone.
 */
const zodCompilers = {
  buildValidator: () => zodValidatorCompiler,
  buildSerializer: () => serializerCompiler,
} as unknown as Compilers;

/** The share of all connections that one address may hold; behind proxies, all come from a few addresses. */
const PART_OF_ONE_ADDRESS = 1 / 4;

/** Drops connections of an address that holds its part of all already, so that nobody shuts out the others. */
const shareConnections = (app: HttpServer, mostOfOne: number): void => {
  const held = new Map<string, number>();
  app.server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "";
    const ofAddress = (held.get(address) ?? 0) + 1;
    if (ofAddress > mostOfOne) return socket.destroy();
    held.set(address, ofAddress);
    socket.once("close", () => {
      const left = (held.get(address) ?? 1) - 1;
      if (left > 0) held.set(address, left);
      else held.delete(address);
    });
  });
};

/** Connections that are open while the server closes end with their answer. */
const endConnectionsWhenClosing = (app: HttpServer): void => {
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
  });
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (closing) reply.header("connection", "close");
    done(null, payload);
  });
};

/**
 * Answers that are ready in one iteration of the event loop are written one right after the other: each by itself would
 * wake its reader anew, and waking takes a third of the processor time of a short answer.
 */
const sendTogether = (app: HttpServer): void => {
  app.addHook("onSend", (_request, _reply, payload, done) => void setImmediate(done, null, payload));
};

/** Counted from the right, where the proxy next to us writes: what the client wrote stands further left. */
const trusted = (proxies: false | number | readonly string[]): NonNullable<FastifyServerOptions["trustProxy"]> => {
  if (typeof proxies === "number") return (_address, hop) => hop < proxies;
  return proxies && [...proxies];
};

/**
 * An HTTP server with what all of Rubrica's share: request ids (`x-request-id`), one log line a request, error bodies
 * by route (`config: { errors }`), limits, zod schemas. Register routes with it, then `listen` or `inject`.
 */
export const createHttpServer = (options: HttpServerOptions): HttpServer => {
  const { runtime, logger, trustProxy = false, bodyLimitBytes = 1_048_576 } = options;
  const { headersTimeoutMs = 15_000, requestTimeoutMs = 120_000, keepAliveTimeoutMs = 72_000 } = options;
  const app: HttpServer = fastify({
    loggerInstance: logger,
    logController: new QuietLogController(),
    trustProxy: trusted(trustProxy),
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    http: {
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: Math.min(5_000, headersTimeoutMs / 2),
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    // A request's id names its events too: a caller's own could collide with another's.
    requestIdHeader: false,
    genReqId: () => runtime.ids.uuidv7(),
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    schemaController: { compilersFactory: zodCompilers },
    rewriteUrl: ({ url = "/" }) => decodablePath(url),
    frameworkErrors: (_error, request, reply) => handleNotFound(request, reply),
  }).withTypeProvider<ZodTypeProvider>();
  const { maxConnections = 10_000 } = options;
  app.server.maxConnections = maxConnections;
  if (trustProxy === false) shareConnections(app, Math.ceil(maxConnections * PART_OF_ONE_ADDRESS));
  readBodies(app);
  app.setErrorHandler(errorHandler(options.isOutage ?? (() => false)));
  app.setNotFoundHandler(handleNotFound);
  app.decorateRequest("caller", null);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    reply.header("cache-control", "no-store");
    done();
  });
  logRequests(app, runtime.clock, options.onAnswered);
  countRequests(app, runtime, options.rates ?? {});
  bodyIntake(app, runtime.clock, bodyLimitBytes);
  discardUnreadBodies(app, runtime.clock);
  endConnectionsWhenClosing(app);
  sendTogether(app);
  return app;
};

/**
 * Stops taking requests, lets those in flight end, closes idle connections; what still is open after `graceMs` is cut.
 */
export const shutDown = async (app: HttpServer, { clock }: Pick<Runtime, "clock">, graceMs: number): Promise<void> => {
  const closed = new AbortController();
  const closing = app.close().finally(() => closed.abort());
  await clock.wait(graceMs, { signal: closed.signal });
  if (!closed.signal.aborted) app.server.closeAllConnections();
  await closing;
};
