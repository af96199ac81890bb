import {
  AccessDeniedError,
  isCommandError,
  StreamDeletedError,
  StreamNotFoundError,
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

/**
 * Statuses after which the same call fails again (https://grpc.io/docs/guides/status-codes/): an invalid argument, not
 * found, already there, no permission, a failed precondition, out of range, unimplemented, unauthenticated.
 */
const LASTING_CODES: ReadonlySet<unknown> = new Set([3, 5, 6, 7, 9, 11, 12, 16]);

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? Reflect.get(error, "code") : undefined;

const isLasting = (error: unknown): boolean =>
  error instanceof AccessDeniedError ||
  error instanceof StreamDeletedError ||
  error instanceof StreamNotFoundError ||
  error instanceof WrongExpectedVersionError ||
  LASTING_CODES.has(codeOf(error)) ||
  // What the client throws of itself, and it is no answer of the server's: a mistake here.
  error instanceof TypeError ||
  error instanceof RangeError;

/** What was meant for the caller, and no trouble with the connection. */
const isAnswer = (error: unknown): boolean =>
  error instanceof ConflictError || error instanceof AppendTooLargeError || error instanceof EventStoreDbError;

/** Why, in a few words: gRPC's status and what it says, which holds addresses, and never credentials. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "an unknown error";
  return error.message.trim() || (isCommandError(error) ? String(error.type) : error.name);
};

/**
 * Whether trying again may help. While the server is down or starting the client throws many kinds: its
 * `UnavailableError`, a plain `Error` of code 14, `UnknownError` for "Server Is Not Ready" and for a reset stream, an
 * error without any code where no member of a cluster was found.
 */
export const isPassing = (error: unknown): boolean =>
  error instanceof EventStoreDbError ? error.failure === "unreachable" : !isAnswer(error) && !isLasting(error);

/** The error that the caller is given for what trying again does not mend. */
export const lastingErrorOf = (error: unknown): unknown =>
  isAnswer(error) || error instanceof TypeError || error instanceof RangeError
    ? error
    : new EventStoreDbError("refused", `EventStoreDB refuses: ${reasonOf(error)}.`);

export const unreachableError = (limitMs: number, error: unknown): EventStoreDbError =>
  new EventStoreDbError("unreachable", `EventStoreDB could not be reached for ${limitMs} ms: ${reasonOf(error)}`);
