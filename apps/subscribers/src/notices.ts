import type { Handlers } from "@rubrica/commands";
import { type RecordNotice, recordNotice } from "@rubrica/domain";
import type { ProviderNotice } from "@rubrica/messaging";
import { type ReadModelStore, type SentMessageRecord, sentMessages } from "@rubrica/read-models";
import type { Runtime } from "@rubrica/runtime";

/** A notice of a message that is still unknown after this long is of none of ours, or of one whose record was cut off. */
const UNKNOWN_AFTER_MS = 60_000;

export interface NoticeDependencies {
  handlers: Handlers;
  readModels: Pick<ReadModelStore, "get">;
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
 * Records what the messaging provider tells of a message. Safe to repeat, late or out of order.
 * @throws {UnknownMessageError} when it is to be told again.
 */
export const handleNotice = async (
  { handlers, readModels, runtime }: NoticeDependencies,
  notice: ProviderNotice,
): Promise<void> => {
  const { providerMessageId } = notice;
  const sent = await readModels.get<SentMessageRecord>(sentMessages.name, providerMessageId);
  if (!sent) {
    if (runtime.clock.now() - notice.at > UNKNOWN_AFTER_MS) return;
    throw new UnknownMessageError();
  }
  const { documentId } = sent.document;
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

const commandOf = (notice: ProviderNotice, { clock, random }: Runtime): RecordNotice => {
  const { providerMessageId } = notice;
  switch (notice.kind) {
    case "failed": {
      const { reason, permanent } = notice;
      return { notice: "failed", providerMessageId, reason, permanent, now: clock.now(), jitter: random.fraction() };
    }
    case "answered":
      return { notice: "answered", providerMessageId, answer: notice.answer };
    default:
      return { notice: notice.kind, providerMessageId };
  }
};
