import {
  AccessDeniedError,
  CancelledError,
  DeadlineExceededError,
  InvalidArgumentError,
  isCommandError,
  MaxAppendSizeExceededError,
  NotLeaderError,
  StreamDeletedError,
  StreamNotFoundError,
  TimeoutError,
  UnavailableError,
  UnsupportedError,
  WrongExpectedVersionError,
} from "@eventstore/db-client";
import { AppendTooLargeError, ConflictError } from "../port.ts";
import { EventStoreDbError } from "./failure.ts";

export const closedError = (): EventStoreDbError => new EventStoreDbError("closed", "The event store is closed.");

/** Nothing came within a time limit. */
export class Silence extends Error {
  constructor(limitMs: number) {
    super(`nothing came within ${limitMs} ms`);
    this.name = "Silence";
  }
}

/** A subscription's stream was over, which it never is by itself. */
export class SubscriptionOver extends Error {
  constructor() {
    super("the subscription ended");
    this.name = "SubscriptionOver";
  }
}

/** What is made of an error that a call ended with. */
export type Meaning =
  /** The same call may succeed later. */
  | "transient"
  /** The same call may succeed at once, at the member that the error names. */
  | "elsewhere"
  /** The same call may succeed later, at another member: the one that was asked does not answer. */
  | "silent"
  /** The same call fails again: the caller is told that the server refuses. */
  | "refused"
  /** The stream is at another revision than the append expected. */
  | "conflict"
  /** The append holds more than one may. */
  | "too_large"
  /** There is no such stream. */
  | "absent"
  /** It goes to the caller unchanged: it is meant for them, or a mistake in this code. */
  | "given";

/** An error that a call can end with. */
interface Kind {
  what: string;
  is: (error: Error, code: unknown) => boolean;
  means: Meaning;
}

const instance =
  (...classes: readonly (abstract new (...args: never[]) => Error)[]) =>
  (error: Error): boolean =>
    classes.some((one) => error instanceof one);
const withCode =
  (...codes: readonly number[]) =>
  (_: Error, code: unknown): boolean =>
    codes.some((one) => one === code);

/**
 * Every error that the calls used here can end with; the first row that fits holds. The codes are gRPC's
 * (https://grpc.io/docs/guides/status-codes/). What members of a cluster say while they have no leader comes here as
 * "unavailable", by {@link readableStatus}.
 */
export const ERRORS: readonly Kind[] = [
  {
    what: "an engine that was not reached in time",
    is: (error) => error instanceof EventStoreDbError && error.failure === "unreachable",
    means: "transient",
  },
  {
    what: "made here for the caller",
    is: instance(ConflictError, AppendTooLargeError, EventStoreDbError),
    means: "given",
  },
  { what: "thrown by the client of itself", is: instance(TypeError, RangeError), means: "given" },
  { what: "not the leader, who is named", is: instance(NotLeaderError), means: "elsewhere" },
  { what: "a revision that is not the stream's", is: instance(WrongExpectedVersionError), means: "conflict" },
  { what: "an append that is too large", is: instance(MaxAppendSizeExceededError), means: "too_large" },
  { what: "a stream that is not there", is: instance(StreamNotFoundError), means: "absent" },
  { what: "a stream that was deleted", is: instance(StreamDeletedError), means: "refused" },
  { what: "no access: a wrong password, no rights", is: instance(AccessDeniedError), means: "refused" },
  {
    what: "what the client or server can't do",
    is: instance(InvalidArgumentError, UnsupportedError),
    means: "refused",
  },
  { what: "silence", is: instance(Silence, DeadlineExceededError), means: "silent" },
  { what: "a deadline that the client tells as gRPC does", is: withCode(4), means: "silent" },
  { what: "not there, starting, electing", is: instance(UnavailableError), means: "transient" },
  { what: "not there, told as a plain error", is: withCode(14), means: "transient" },
  { what: "a write that the members did not confirm in time", is: instance(TimeoutError), means: "transient" },
  { what: "a call that the server cancelled", is: instance(CancelledError), means: "transient" },
  { what: "a subscription that ended", is: instance(SubscriptionOver), means: "transient" },
  {
    what: "invalid, absent, already there, not permitted, a failed precondition, out of range, unknown, not known who",
    is: withCode(3, 5, 6, 7, 9, 11, 12, 16),
    means: "refused",
  },
  // A reset stream (13), a server that is exhausted (8), "unknown" (2), a discovery that found no member (no code).
  { what: "anything else", is: () => true, means: "transient" },
];

const codeOf = (error: Error): unknown => ("code" in error ? Reflect.get(error, "code") : undefined);

/** What is to be made of what a call ended with. */
export const meaningOf = (error: unknown): Meaning =>
  error instanceof Error ? (ERRORS.find(({ is }) => is(error, codeOf(error)))?.means ?? "transient") : "transient";

/** Why, in a few words: gRPC's status and what it says, which holds addresses, and never credentials. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "an unknown error";
  return error.message.trim() || (isCommandError(error) ? String(error.type) : error.name);
};

const TRANSIENT: ReadonlySet<Meaning> = new Set(["transient", "elsewhere", "silent"]);

/** Whether trying again may help. */
export const isTransient = (error: unknown): boolean => TRANSIENT.has(meaningOf(error));

/** The error that the caller is given for what trying again does not mend. */
export const lastingErrorOf = (error: unknown): unknown =>
  meaningOf(error) === "given" ? error : new EventStoreDbError("refused", `EventStoreDB refuses: ${reasonOf(error)}.`);

export const unreachableError = (limitMs: number, error: unknown): EventStoreDbError =>
  new EventStoreDbError("unreachable", `EventStoreDB could not be reached for ${limitMs} ms: ${reasonOf(error)}`);
