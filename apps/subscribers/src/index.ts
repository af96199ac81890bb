import { obligationSubject, type PublishedObligation } from "@rubrica/domain";
import type { MessageBus } from "@rubrica/message-bus";
import { type BulkDependencies, bulkSubscribers } from "./bulk.ts";
import { type EvidenceDependencies, evidenceSubscriber } from "./evidence.ts";
import { type IdentityDependencies, identitySubscriber } from "./identity.ts";
import { type MessageDependencies, messageSubscribers } from "./messages.ts";
import { type ReportSubscriberDependencies, reportSubscriber } from "./report.ts";
import { type SealingDependencies, sealingSubscriber } from "./sealing.ts";
import { type AnySubscriber, onceAtATime, type Subscriber } from "./subscriber.ts";
import { turnSubscribers } from "./turns.ts";
import { type WebhookDependencies, webhookSubscriber } from "./webhooks/webhooks.ts";

export { handleNotice, type NoticeDependencies, UnknownMessageError } from "./notices.ts";

export { turnSubscribers } from "./turns.ts";

export type SubscriberDependencies = MessageDependencies &
  IdentityDependencies &
  EvidenceDependencies &
  SealingDependencies &
  BulkDependencies &
  ReportSubscriberDependencies &
  WebhookDependencies;

/** Every subscriber that there is. */
export const allSubscribers = (dependencies: SubscriberDependencies): AnySubscriber[] => [
  ...turnSubscribers(dependencies.handlers),
  ...messageSubscribers(dependencies),
  identitySubscriber(dependencies),
  sealingSubscriber(dependencies),
  evidenceSubscriber(dependencies),
  ...bulkSubscribers(dependencies),
  reportSubscriber(dependencies),
  webhookSubscriber(dependencies),
];

/** Consumes what is published for each subscriber, until `signal` is aborted and what is in flight has ended. */
export const runSubscribers = async (
  subscribers: readonly AnySubscriber[],
  bus: MessageBus,
  signal: AbortSignal,
): Promise<void> => {
  await Promise.all(
    subscribers.map(({ kind, concurrency, meet }) => {
      // A kind's obligations are all of documents, or all of bulk calls.
      const meetOnce = onceAtATime(meet as Subscriber["meet"]);
      return bus.consume({
        subject: obligationSubject(kind),
        group: kind,
        concurrency,
        signal,
        handle: ({ body }) => meetOnce(body as unknown as PublishedObligation),
      });
    }),
  );
};
