import { isMessageTaken } from "@rubrica/events";
import type { Projection } from "../projection.ts";

/** Which document a message belongs to. */
export type SentMessageRecord = { documentId: string };

/** The record's id for a message by the service's own id, which is known before the provider took it. */
export const attemptedMessageKey = (messageId: string): string => `attempted/${messageId}`;

/**
 * What a notice of the messaging provider is matched by: it names its message, never the document. A record's id is the
 * provider's message id, or {@link attemptedMessageKey} of the service's own.
 */
export const sentMessages: Projection<SentMessageRecord> = {
  name: "sent-messages",
  version: 2,
  indexes: [],
  fromLastEvent: true,
  keysOf: (event) => {
    if (isMessageTaken(event)) return [event.data.providerMessageId];
    return event.type === "MessageAttempted" ? [attemptedMessageKey(event.data.messageId)] : [];
  },
  project: (_record, event) => ({ documentId: event.streamId }),
};
