import { HelpersBusy } from "@rubrica/helpers";
import { UnreadableStreamError } from "@rubrica/journal/unreadable";
import type { HandlingFailure } from "@rubrica/message-bus";
import { MessageBusError } from "@rubrica/message-bus/bus-error";
import { isOutage } from "@rubrica/open-engines";
import { reasonOf } from "@rubrica/storage/sqlite/failure";
import type { FastifyBaseLogger } from "fastify";

/** What the log says of an obligation that failed with an error of that name: the name alone says what happened. */
export const causesByName: Readonly<Record<string, string>> = {
  ConflictError: "others wrote to the same stream, again and again",
  DomainError: "what is on record does not allow it",
  HeadContradicted: "the log does not hold what its newest head is over; `rubrica audit verify` says more",
  IdentityProviderUnavailable: "the identity provider has no answer",
  KeyDestroyedError: "it was erased meanwhile",
  PoolClosed: "the helpers were ended",
  StreamCut: "its stream does not hold what a head of the log is over: it was cut, or put back from a backup",
  TaskFailed: "a helper failed at it",
};

/** Why something failed, in words; never an error's own where these may quote data. */
export const causeOf = (error: unknown): string => {
  if (isOutage(error)) return "an engine does not answer";
  if (error instanceof HelpersBusy || error instanceof MessageBusError) return error.message;
  const name = error instanceof Error ? error.name : "";
  return causesByName[name] ?? reasonOf(error)?.words ?? `something that was not foreseen (${name || typeof error})`;
};

/** By what an operator finds an obligation: ids, which name no person. */
const idsOf = (body: HandlingFailure["body"]): Record<string, string> => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return {};
  const { obligation, documentId, bulkId, noticesId, headsId, accountId } = body;
  const owed = typeof obligation === "object" && obligation !== null && !Array.isArray(obligation) ? obligation : {};
  const all = { obligation: owed.id, kind: owed.kind, documentId, bulkId, noticesId, headsId, accountId };
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
};

/** Logs that an obligation was not met: whose it is, and why. A warning, unless the process is ending. */
export const tellUnmet = (
  logger: Pick<FastifyBaseLogger, "info" | "warn">,
  { body, isEnding, error }: HandlingFailure,
): void => {
  // The log was told of this stream once, when it was found. It is tried again until the stream is mended.
  if (error instanceof UnreadableStreamError) return;
  if (isEnding) logger.info(idsOf(body), "an obligation was cut short by the end of the process; it is taken up again");
  else
    logger.warn({ ...idsOf(body), cause: causeOf(error), err: error }, "an obligation was not met; it is tried again");
};
