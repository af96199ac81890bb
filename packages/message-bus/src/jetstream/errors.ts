import { NatsError } from "nats";

import { MessageBusError } from "./bus-error.ts";

/** What JetStream's API answers with, of which there is more than the client names (server/errors.json of nats-server). */
export const API_ERROR = {
  consumerNotFound: 10_014,
  messageNotFound: 10_037,
  streamNotFound: 10_059,
  subjectsOverlap: 10_065,
  storeFailed: 10_077,
} as const;

/** Whether JetStream answered with that error. */
export const isApiError = (error: unknown, code: number): error is NatsError =>
  error instanceof NatsError && error.api_error?.err_code === code;

/** Whether a limit of the stream refused a message: on its number, on that of its subject, or on their bytes. */
export const isFull = (error: unknown): boolean =>
  isApiError(error, API_ERROR.storeFailed) && /^maximum (?:messages|bytes)/.test(error.api_error?.description ?? "");

/** Whether the stream has lost its files: it takes nothing any more, and never will. */
export const isBroken = (error: unknown): boolean =>
  isApiError(error, API_ERROR.storeFailed) && /no such file or directory/.test(error.api_error?.description ?? "");

/** Whether nobody answered for the stream: it is gone, or JetStream is not there. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof NatsError && error.code === "503" && error.api_error === undefined;

/** What may be told of an error: the client's code or JetStream's words, which hold no credentials. */
export const wordsOf = (error: unknown): string => {
  if (error instanceof MessageBusError) return error.message;
  if (!(error instanceof NatsError)) return error instanceof Error ? error.name : "unknown error";
  if (isBroken(error)) return "the stream has lost its files";
  return error.api_error?.description ?? (error.code === "503" ? "nobody answers for the stream" : error.code);
};
