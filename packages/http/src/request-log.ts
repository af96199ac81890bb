import type { Clock } from "@rubrica/runtime";
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";

/** Silences Fastify's own request lines, which name the URL; {@link logRequests} writes the one that there is. */
export class QuietLogController extends LogController {
  constructor() {
    super({ requestIdLogLabel: "requestId" });
  }
  override incomingRequest(): void {}
  override requestCompleted(): void {}
  override defaultErrorLog(): void {}
  override routeNotFound(): void {}
  override streamError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.warn({ err: error }, "answer broke off");
  }
  override writeHeadError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.warn({ err: error }, "answer's head not written");
  }
  override serializerError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.error({ err: error }, "answer not serialized");
  }
  override serviceUnavailable(logger: FastifyBaseLogger): void {
    logger.info({ status: 503 }, "request refused: closing");
  }
}

/** Errors that made a request fail, to be told on its line. */
const failures = new WeakMap<FastifyRequest, unknown>();

/** Notes why a request failed; its line will tell, without the error's message. */
export const noteFailure = (request: FastifyRequest, error: unknown): void => {
  failures.set(request, error);
};

/** A request that is over, without anything that it said. */
export interface AnsweredRequest {
  method: string;
  /** The route's template; null where there is none. */
  route: string | null;
  status: number;
  durationMs: number;
}

/**
 * One line a request, when its answer is out or its client gone: id, method, the route's template (never the URL),
 * status, duration; `aborted` when the client did not wait for the answer.
 */
export const logRequests = (
  app: FastifyInstance,
  clock: Clock,
  onAnswered: (request: AnsweredRequest) => void = () => {},
): void => {
  app.addHook("onRequest", (request, reply, done) => {
    const startedMs = clock.monotonicMs();
    let answered = false;
    reply.raw.once("finish", () => {
      answered = true;
    });
    reply.raw.once("close", () => {
      const error = failures.get(request);
      const answer: AnsweredRequest = {
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.raw.statusCode,
        durationMs: Math.round((clock.monotonicMs() - startedMs) * 10) / 10,
      };
      onAnswered(answer);
      const line = {
        ...answer,
        ...(answered ? {} : { aborted: true }),
        ...(error === undefined ? {} : { err: error }),
      };
      if (error !== undefined) request.log.error(line, "request");
      else request.log.info(line, "request");
    });
    done();
  });
};
