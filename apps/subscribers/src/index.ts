import { obligationSubject, type PublishedObligation } from "@rubrica/domain";
import type { MessageBus } from "@rubrica/message-bus";
import { type MessageDependencies, messageSubscribers } from "./messages.ts";
import { type SealingDependencies, sealingSubscriber } from "./sealing.ts";
import type { Subscriber } from "./subscriber.ts";
import { turnSubscribers } from "./turns.ts";

export { handleNotice, type NoticeDependencies, UnknownMessageError } from "./notices.ts";

export type SubscriberDependencies = MessageDependencies & SealingDependencies;

/** Every subscriber that there is. */
export const allSubscribers = (dependencies: SubscriberDependencies): Subscriber[] => [
  ...turnSubscribers(dependencies.handlers),
  ...messageSubscribers(dependencies),
  sealingSubscriber(dependencies),
];

/** Consumes what is published for each subscriber, until `signal` is aborted and what is in flight has ended. */
export const runSubscribers = async (
  subscribers: readonly Subscriber[],
  bus: MessageBus,
  signal: AbortSignal,
): Promise<void> => {
  await Promise.all(
    subscribers.map(({ kind, concurrency, meet }) =>
      bus.consume({
        subject: obligationSubject(kind),
        group: kind,
        concurrency,
        signal,
        handle: ({ body }) => meet(body as unknown as PublishedObligation),
      }),
    ),
  );
};
