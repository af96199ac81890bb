import { obligationSubject, type PublishedObligation } from "@rubrica/domain";
import type { MessageBus } from "@rubrica/message-bus";
import type { Clock } from "@rubrica/runtime";
import { augmentingSubscribers } from "./augmenting.ts";
import { type BulkDependencies, bulkSubscribers } from "./bulk.ts";
import { type ErasureDependencies, erasureSubscribers } from "./erasure.ts";
import { type EvidenceDependencies, evidenceSubscriber } from "./evidence.ts";
import { expirySubscriber } from "./expiry.ts";
import { type HeadSubscriberDependencies, headSubscriber } from "./heads.ts";
import { type IdentityDependencies, identitySubscriber } from "./identity.ts";
import { type MessageDependencies, messageSubscribers } from "./messages.ts";
import { type NoticeDependencies, noticeSubscriber } from "./notices.ts";
import { type ReportSubscriberDependencies, reportSubscriber } from "./report.ts";
import { type SealingDependencies, sealingSubscriber } from "./sealing.ts";
import { ACK_WAIT_MS, type AnySubscriber, onceAtATime, type Subscriber, withHeartbeat } from "./subscriber.ts";
import { turnSubscribers } from "./turns.ts";
import { type WebhookDependencies, webhookSubscriber } from "./webhooks/webhooks.ts";

export type SubscriberDependencies = MessageDependencies &
  IdentityDependencies &
  EvidenceDependencies &
  SealingDependencies &
  BulkDependencies &
  NoticeDependencies &
  ReportSubscriberDependencies &
  WebhookDependencies &
  ErasureDependencies &
  HeadSubscriberDependencies;

/** Every subscriber that there is. */
export const allSubscribers = (dependencies: SubscriberDependencies): AnySubscriber[] => [
  ...turnSubscribers(dependencies.handlers),
  ...messageSubscribers(dependencies),
  identitySubscriber(dependencies),
  sealingSubscriber(dependencies),
  ...augmentingSubscribers(dependencies),
  evidenceSubscriber(dependencies),
  expirySubscriber(dependencies.handlers),
  ...bulkSubscribers(dependencies),
  reportSubscriber(dependencies),
  webhookSubscriber(dependencies),
  noticeSubscriber(dependencies),
  ...erasureSubscribers(dependencies),
  headSubscriber(dependencies),
];

/** Consumes what is published for each subscriber, until `signal` is aborted and what is in flight has ended. */
export const runSubscribers = async (
  subscribers: readonly AnySubscriber[],
  bus: Pick<MessageBus, "consume">,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> => {
  await Promise.all(
    subscribers.map(({ kind, concurrency, longestMs, meet }) => {
      // A kind's obligations are all of documents, of bulk calls, of notices, or of the log.
      const meetOnce = onceAtATime(meet as Subscriber["meet"]);
      return bus.consume({
        subject: obligationSubject(kind),
        group: kind,
        concurrency,
        ackWaitMs: ACK_WAIT_MS,
        signal,
        handle: ({ body }, { extend }) =>
          withHeartbeat(clock, extend, () => meetOnce(body as unknown as PublishedObligation), longestMs),
      });
    }),
  );
};
