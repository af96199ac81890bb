import type { Handlers } from "@rubrica/commands";
import { type RecordNotice, recordNotice } from "@rubrica/domain";
import type { EventStore } from "@rubrica/event-store";
import type { ProviderNotice } from "@rubrica/messaging";
import {
  attemptedMessageKey,
  type ProjectionRunner,
  type ReadModelStore,
  type SentMessageRecord,
  sentMessages,
} from "@rubrica/read-models";
import type { Runtime } from "@rubrica/runtime";

/** A notice of a message that is still unknown after this long is of none of ours, or of one whose record was cut off. */
const UNKNOWN_AFTER_MS = 60_000;
/** How long a notice that overtook the projection waits for it: a provider on the network gives up after some seconds. */
const PROJECTION_TIMEOUT_MS = 2_000;

export interface NoticeDependencies {
  handlers: Handlers;
  readModels: Pick<ReadModelStore, "get">;
  events: Pick<EventStore, "head">;
  freshness: Pick<ProjectionRunner, "waitFor">;
  runtime: Runtime;
}

/** The message is not known yet: the notice overtook the record of its sending. The provider tells again. */
export class UnknownMessageError extends Error {
  constructor() {
    super("the message is not known yet");
    this.name = "UnknownMessageError";
  }
}

/**
 * Records what the messaging provider tells of a message. Safe to repeat, late or out of order. A notice that names the
 * message by the service's own id also proves the sending, where its record was overtaken or cut off.
 * @throws {UnknownMessageError} when it is to be told again.
 */
export const handleNotice = async (dependencies: NoticeDependencies, notice: ProviderNotice): Promise<void> => {
  const { handlers, runtime } = dependencies;
  const { providerMessageId } = notice;
  const documentId = await documentOf(dependencies, notice);
  if (documentId === undefined) {
    if (runtime.clock.now() - notice.at > UNKNOWN_AFTER_MS) return;
    throw new UnknownMessageError();
  }
  const document = await handlers.documents.load(documentId);
  if (document.status === "none") throw new UnknownMessageError();
  await handlers.documents.handle(documentId, recordNotice, commandOf(notice, runtime), {
    commandId: ["notice", providerMessageId, notice.kind, notice.at].join("/"),
    accountId: document.accountId,
    actor: "provider",
    correlationId: providerMessageId,
    causationId: providerMessageId,
  });
};

/** Whose message it is, by what is recorded up to now. */
const documentOf = async (
  { readModels, events, freshness }: NoticeDependencies,
  notice: ProviderNotice,
): Promise<string | undefined> => {
  const known = await lookUp(readModels, notice);
  if (known !== undefined) return known;
  const head = await events.head();
  if (head) await freshness.waitFor(head, PROJECTION_TIMEOUT_MS);
  return lookUp(readModels, notice);
};

const lookUp = async (
  readModels: NoticeDependencies["readModels"],
  { providerMessageId, messageId }: ProviderNotice,
): Promise<string | undefined> => {
  const find = (id: string) => readModels.get<SentMessageRecord>(sentMessages.name, id);
  const sent =
    (await find(providerMessageId)) ??
    (messageId === undefined ? undefined : await find(attemptedMessageKey(messageId)));
  return sent?.document.documentId;
};

const commandOf = (notice: ProviderNotice, { clock, random }: Runtime): RecordNotice => {
  const { providerMessageId, messageId } = notice;
  const named = { providerMessageId, messageId };
  switch (notice.kind) {
    case "failed": {
      const { reason, permanent } = notice;
      return { notice: "failed", ...named, reason, permanent, now: clock.now(), jitter: random.fraction() };
    }
    case "answered":
      return { notice: "answered", ...named, answer: notice.answer };
    default:
      return { notice: notice.kind, ...named };
  }
};
