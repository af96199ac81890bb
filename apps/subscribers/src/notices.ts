import { type Handlers, stepOf } from "@rubrica/commands";
import {
  type Media,
  type PublishedNoticesObligation,
  type RecordNotice,
  recordNotice,
  recordNoticesOutcome,
} from "@rubrica/domain";
import type { Medium, Notice } from "@rubrica/events";
import { attemptedMessageKey, type ReadModelStore, sentMessages } from "@rubrica/read-models";
import type { Runtime } from "@rubrica/runtime";
import { contextOf, type Subscriber } from "./subscriber.ts";

const CONCURRENCY = 16;

export interface NoticeDependencies {
  handlers: Handlers;
  readModels: Pick<ReadModelStore, "get">;
  runtime: Runtime;
  /** By which signers are reached. */
  media: Media;
  /** Told how many notices of one call were dropped, since nobody knew their messages for too long. */
  onNoticesDropped(dropped: number): void;
}

/**
 * Records each notice of a messaging provider in its message's document. Safe to repeat, late or out of order. A notice
 * that names the message by the service's own id also proves that it was sent, where that was not recorded. A notice
 * that matches no message yet, as while the projection lags, is looked up again.
 */
export const noticeSubscriber = (dependencies: NoticeDependencies): Subscriber<PublishedNoticesObligation> => ({
  kind: "handle-notices",
  concurrency: CONCURRENCY,
  async meet(published) {
    const { handlers, runtime, onNoticesDropped } = dependencies;
    const received = await handlers.notices.load(published.noticesId);
    if (received.status !== "received") return;
    const recorded = await recordEach(dependencies, received.medium, received.notices);
    const { events } = await handlers.notices.handle(
      published.noticesId,
      recordNoticesOutcome,
      {
        recorded,
        unmatched: received.notices.length - recorded,
        now: runtime.clock.now(),
        jitter: runtime.random.fraction(),
      },
      stepOf(contextOf(published, "notices"), received.attempts + 1),
    );
    for (const { type, data } of events)
      if (type === "NoticesHandled" && data.dropped > 0) onNoticesDropped(data.dropped);
  },
});

/**
 * How many notices were recorded in their document. One whose document can't be written holds up no other.
 * @throws {unknown} why the first of those could not be
 */
const recordEach = async (
  dependencies: NoticeDependencies,
  medium: Medium,
  notices: readonly Notice[],
): Promise<number> => {
  const failures: unknown[] = [];
  let recorded = 0;
  // One after the other: several may be about one document, and in their order they make fewer events.
  for (const notice of notices) {
    try {
      if (await record(dependencies, medium, notice)) recorded += 1;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return recorded;
};

/** Whether the notice was recorded in its document. */
const record = async (dependencies: NoticeDependencies, medium: Medium, notice: Notice): Promise<boolean> => {
  const { handlers, readModels } = dependencies;
  const documentId = await documentOf(readModels, notice);
  if (documentId === undefined) return false;
  const document = await handlers.documents.load(documentId);
  if (document.status === "none") return false;
  const { providerMessageId } = notice;
  await handlers.documents.handle(documentId, recordNotice, commandOf(dependencies, medium, notice), {
    commandId: ["notice", providerMessageId, notice.kind, notice.at].join("/"),
    accountId: document.accountId,
    actor: "provider",
    correlationId: providerMessageId,
    causationId: providerMessageId,
  });
  return true;
};

/** Whose message it is, by what is projected up to now. */
const documentOf = async (
  readModels: NoticeDependencies["readModels"],
  { providerMessageId, messageId }: Notice,
): Promise<string | undefined> => {
  const find = (id: string) => readModels.get(sentMessages, id);
  const sent =
    (await find(providerMessageId)) ?? (messageId === null ? undefined : await find(attemptedMessageKey(messageId)));
  return sent?.document.documentId;
};

const commandOf = ({ runtime, media }: NoticeDependencies, medium: Medium, notice: Notice): RecordNotice => {
  const { clock, random } = runtime;
  const { providerMessageId, messageId } = notice;
  const named = { providerMessageId, messageId: messageId ?? undefined, medium };
  switch (notice.kind) {
    case "failed": {
      const { reason, permanent } = notice;
      return { notice: "failed", ...named, reason, permanent, media, now: clock.now(), jitter: random.fraction() };
    }
    case "answered":
      return { notice: "answered", ...named, answer: notice.answer, at: notice.at };
    default:
      return { notice: notice.kind, ...named };
  }
};
