import { type AppendResult, ConflictError, type ExpectedRevision } from "../port.ts";
import type { PreparedAppend } from "../prepare-append.ts";
import { EventStoreFailedError, type EventStoreFailure } from "./errors.ts";
import type { AppendOutcome } from "./writer.ts";

/** What the thread that commits is asked: to write one group of appends. */
export type CommitRequest = readonly PreparedAppend[];

/** What came of a group: of each of its appends, or why nothing of it is stored. */
export type CommitAnswer = { outcomes: readonly SentOutcome[] } | { failure: SentFailure };

/** Between threads errors lose all but their message: conflicts and SQLite's errors are sent as their fields. */
type SentOutcome =
  | AppendResult
  | { conflict: { stream: string; expected: ExpectedRevision; actual: ExpectedRevision } };

interface SentFailure {
  message: string;
  /** Set for an {@link EventStoreFailedError}. */
  failure?: EventStoreFailure;
  /** Node's, as ERR_SQLITE_ERROR or ENOSPC, and SQLite's own: by these is told what happened. */
  code?: unknown;
  errcode?: unknown;
}

export const toSent = (outcome: AppendOutcome): SentOutcome => {
  if (!(outcome instanceof ConflictError)) return outcome;
  const { stream, expected, actual } = outcome;
  return { conflict: { stream, expected, actual } };
};

export const fromSent = (sent: SentOutcome): AppendOutcome => {
  if (!("conflict" in sent)) return sent;
  const { stream, expected, actual } = sent.conflict;
  return new ConflictError(stream, expected, actual);
};

export const failureToSent = (error: unknown): SentFailure => {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message } = error;
  if (error instanceof EventStoreFailedError) return { message, failure: error.failure };
  return { message, code: Reflect.get(error, "code"), errcode: Reflect.get(error, "errcode") };
};

export const failureFromSent = ({ message, failure, ...codes }: SentFailure): Error =>
  failure ? new EventStoreFailedError(failure, message) : Object.assign(new Error(message), codes);
