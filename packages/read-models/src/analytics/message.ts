import { isMessageTaken, type Medium, type MessageKind, type MessageTaken } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";

/** A message to a signer as one medium was to deliver it. */
export type AnalyticMessage = {
  messageId: string;
  signerId: string;
  kind: MessageKind;
  medium: Medium;
  provider: string | null;
  outcome: "attempted" | "sent" | "delivered" | "read" | "failed" | "undeliverable";
  errorCode: string | null;
  attempts: number;
  attemptedAt: string;
  sentAt: string | null;
  deliveredAt: string | null;
  readAt: string | null;
  failedAt: string | null;
  /** By which the providers' notices name it. */
  providerMessageIds: string[];
};

/** The messages after one more event; the same array where it tells of none. */
export const messagesAfter = (messages: AnalyticMessage[], event: JournalEvent): AnalyticMessage[] => {
  if (event.type === "MessageAttempted") return attempted(messages, event);
  if (!isTold(event)) return messages;
  const index = indexOf(messages, event);
  const message = messages[index];
  return message ? messages.with(index, told(message, event)) : messages;
};

type Of<Type extends JournalEvent["type"]> = Extract<JournalEvent, { type: Type }>;
type Told = Of<MessageTaken["type"] | "MessageDelivered" | "MessageRead" | "MessageFailed">;

/** Whether an event tells what became of a message. */
const isTold = (event: JournalEvent): event is Told =>
  isMessageTaken(event) ||
  event.type === "MessageDelivered" ||
  event.type === "MessageRead" ||
  event.type === "MessageFailed";

const attempted = (messages: AnalyticMessage[], event: Of<"MessageAttempted">): AnalyticMessage[] => {
  const { messageId, signerId, kind, medium, provider } = event.data;
  const index = messages.findIndex((one) => one.messageId === messageId && one.medium === medium);
  const known = messages[index];
  const again = { outcome: "attempted" as const, provider: provider?.name ?? null };
  if (known) return messages.with(index, { ...known, ...again, attempts: known.attempts + 1 });
  const first = { ...again, messageId, signerId, kind, medium, errorCode: null, attempts: 1 };
  const times = { attemptedAt: event.metadata.at, sentAt: null, deliveredAt: null, readAt: null, failedAt: null };
  return [...messages, { ...first, ...times, providerMessageIds: [] }];
};

/** The one that an event tells of: by its medium, or by the provider's id where it names none. */
const indexOf = (messages: readonly AnalyticMessage[], { data }: Told): number => {
  const isIt = ({ messageId, medium, providerMessageIds }: AnalyticMessage): boolean =>
    messageId === data.messageId &&
    ("medium" in data ? medium === data.medium : providerMessageIds.includes(data.providerMessageId));
  const index = messages.findLastIndex(isIt);
  return index < 0 ? messages.findLastIndex(({ messageId }) => messageId === data.messageId) : index;
};

const told = (message: AnalyticMessage, event: Told): AnalyticMessage => {
  const { at } = event.metadata;
  switch (event.type) {
    case "MessageDelivered":
      return {
        ...message,
        outcome: message.readAt ? "read" : "delivered",
        deliveredAt: message.deliveredAt ?? at,
      };
    case "MessageRead":
      return { ...message, outcome: "read", readAt: message.readAt ?? at };
    case "MessageFailed": {
      const { reason: errorCode, nextMedium } = event.data;
      const outcome = nextMedium === message.medium ? "failed" : "undeliverable";
      return { ...message, outcome, errorCode, failedAt: at };
    }
    default: {
      const providerMessageIds = [...new Set([...message.providerMessageIds, event.data.providerMessageId])];
      return { ...message, outcome: "sent", sentAt: message.sentAt ?? at, providerMessageIds };
    }
  }
};
