import { STATUS_CODES } from "node:http";
import { HelpersBusy } from "@rubrica/helpers";
import { UnreadableStreamError } from "@rubrica/journal/unreadable";
import { KeyUnreadableError } from "@rubrica/storage";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { type ErrorBodies, errorBodiesOf, type Fault } from "./error-bodies.ts";
import { noteFailure } from "./request-log.ts";

/** Mending takes the operator some minutes at least. */
const UNREADABLE_RETRY_SECONDS = 300;

/** About as long as an engine takes to start. */
const UNREACHABLE_RETRY_SECONDS = 5;

/** An answer to throw: status and body go out as they are. For what a route decides on. */
export class HttpError extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, body: object) {
    super(`answered ${status}`);
    this.name = "HttpError";
    this.status = status;
    this.body = body;
  }
}

/** Bounds of `retry-after` while read models are behind, in seconds. */
const NOT_YET_SECONDS = { least: 2, most: 300 };

/** What is asked for is there, or may be, but the read models have not come to it yet: a 503, to be asked for again. */
export class NotYetThere extends Error {
  /** When to come again, in seconds. */
  readonly retryAfterSeconds: number;

  /** @param leftMs how long they are likely to take, where that is known. */
  constructor(leftMs = 0) {
    super("the read models are behind");
    this.name = "NotYetThere";
    const { least, most } = NOT_YET_SECONDS;
    this.retryAfterSeconds = Math.min(Math.max(least, Math.ceil(leftMs / 1_000)), most);
  }
}

/** The key may belong to an account whose events can't be read: a 503. */
export class UnreadableAccount extends Error {
  constructor() {
    super("an account can't be read");
    this.name = "UnreadableAccount";
  }
}

/** At most this many faults are told at once. */
const MAX_FAULTS = 100;

const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");

/** A zod error's issues by the caller's path, at most 100. Zod's own messages name types, never values. */
export const faultsOf = ({ issues }: z.ZodError): Fault[] =>
  issues
    .flatMap((issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => ({ path: pathText([...issue.path, key]), message: "is not known here" }))
        : [{ path: pathText(issue.path), message: issue.message }],
    )
    .slice(0, MAX_FAULTS);

/** A request that does not fit its route's schema: 400 with all its faults. */
export class BadRequestError extends Error {
  readonly statusCode = 400;
  readonly code = "RUBRICA_BAD_REQUEST";
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super("the request does not fit its schema");
    this.name = "BadRequestError";
    this.faults = faults;
  }
}

/** A body that is compressed, or in another charset than UTF-8: 415. */
export class UnsupportedEncodingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UnsupportedEncodingError";
  }
}

/** Fastify's validator by zod: what does not fit is a {@link BadRequestError}. */
export const zodValidatorCompiler =
  ({ schema }: { schema: z.ZodType }) =>
  (data: unknown): { value: unknown } | { error: Error } => {
    const parsed = z.safeParse(schema, data);
    return parsed.success ? { value: parsed.data } : { error: new BadRequestError(faultsOf(parsed.error)) };
  };

/** What is wrong with a body that Fastify could not read, by its error code. */
const unreadableBody: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "Content-Type must be application/json",
  FST_ERR_CTP_EMPTY_JSON_BODY: "the body is empty",
  FST_ERR_CTP_INVALID_JSON_BODY: "the body is not valid JSON",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "the body is not as long as Content-Length says",
};

const field = (error: unknown, name: "statusCode" | "code" | "retryAfterSeconds"): unknown =>
  typeof error === "object" && error !== null && name in error ? Reflect.get(error, name) : undefined;

interface Answer {
  status: number;
  body: object;
  retryAfterSeconds?: number;
}

/** What an error is answered with by its class alone. */
interface ClassAnswer {
  error: abstract new (...given: never[]) => Error;
  status: number;
  /** Which of the route's bodies. */
  problem: keyof ErrorBodies;
  /** When to come again; an error that knows it has it itself. */
  retryAfterSeconds?: number;
}

const damage = { status: 503, problem: "unreadable", retryAfterSeconds: UNREADABLE_RETRY_SECONDS } as const;

/** Every error that is answered by its class; `docs/errors.md` shows them. */
export const answersByClass: readonly ClassAnswer[] = [
  { error: BadRequestError, status: 400, problem: "badRequest" },
  { error: UnsupportedEncodingError, status: 415, problem: "unsupportedEncoding" },
  { error: HelpersBusy, status: 503, problem: "busy" },
  { error: NotYetThere, status: 503, problem: "notYet" },
  { error: UnreadableStreamError, ...damage },
  { error: KeyUnreadableError, ...damage },
  { error: UnreadableAccount, ...damage },
];

const byClass = (error: unknown, bodies: Required<ErrorBodies>): Answer | undefined => {
  const answer = answersByClass.find(({ error: kind }) => error instanceof kind);
  if (!answer) return undefined;
  const { status, problem } = answer;
  const retryAfterSeconds = answer.retryAfterSeconds ?? field(error, "retryAfterSeconds");
  const body =
    error instanceof BadRequestError
      ? bodies.badRequest(error.faults)
      : error instanceof UnsupportedEncodingError
        ? bodies.unsupportedEncoding(error.message)
        : bodies[problem];
  return { status, body, ...(typeof retryAfterSeconds === "number" && { retryAfterSeconds }) };
};

/** Tells the errors of an engine that does not answer from all others. */
export type OutageTest = (error: unknown) => boolean;

/** What goes out for an error. 5xx never say why: the cause goes to the log alone. */
const answerTo = (error: unknown, request: FastifyRequest, isOutage: OutageTest): Answer => {
  const bodies = errorBodiesOf(request);
  if (error instanceof HttpError) return { status: error.status, body: error.body };
  const known = byClass(error, bodies);
  if (known) return known;
  const status = field(error, "statusCode");
  if (status === 413) return { status, body: bodies.tooLarge(request.routeOptions.bodyLimit ?? 0) };
  if (status === 400 || status === 415) {
    const message = unreadableBody[String(field(error, "code"))] ?? "the body could not be read";
    return { status: 400, body: bodies.badRequest([{ path: "", message }]) };
  }
  if (typeof status === "number" && status > 400 && status < 500) {
    return { status, body: { error: STATUS_CODES[status] ?? "Error" } };
  }
  if (isOutage(error)) {
    return { status: 503, body: bodies.unreachable, retryAfterSeconds: UNREACHABLE_RETRY_SECONDS };
  }
  return { status: 500, body: bodies.internal };
};

/**
 * A refused body that is not much larger than allowed is read to its end and thrown away, so that its sender gets the
 * answer and no connection reset; past this many times the limit the connection is closed instead.
 */
const DRAINED_TIMES_LIMIT = 4;

const keepOpenToDrain = (request: FastifyRequest, reply: FastifyReply): void => {
  const announcedBytes = Number(request.headers["content-length"]);
  if (announcedBytes <= (request.routeOptions.bodyLimit ?? 0) * DRAINED_TIMES_LIMIT) reply.removeHeader("connection");
};

/**
 * Refusals that we decide on, for want of room, by count or while read models are behind, are no failures; what has a cause
 * is one, as where a helper ended.
 */
const isRefusal = (error: unknown): boolean =>
  [HttpError, HelpersBusy, NotYetThere].some((kind) => error instanceof kind) && (error as Error).cause === undefined;

/** The one error handler: bodies by the route's {@link ErrorBodies}, causes of failures to the request's log line. */
export const errorHandler =
  (isOutage: OutageTest) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const { status, body, retryAfterSeconds } = answerTo(error, request, isOutage);
    if (retryAfterSeconds !== undefined) reply.header("retry-after", retryAfterSeconds);
    if (status >= 500 && !isRefusal(error)) noteFailure(request, error);
    if (status === 413 || status === 503) keepOpenToDrain(request, reply);
    // What would be taken, as RFC 9110 §15.5.16 asks for.
    if (status === 415) reply.header("accept-encoding", "identity");
    reply.code(status).header("content-type", "application/json; charset=utf-8").send(JSON.stringify(body));
  };

/** What is answered to an address that there is not. */
export const notFoundBody = { error: "Not found" };

/** The answer to an address that there is not. */
export const handleNotFound = (_request: FastifyRequest, reply: FastifyReply): void => {
  reply.code(404).send(notFoundBody);
};
