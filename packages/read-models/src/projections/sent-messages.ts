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
  keysOf: (event) => {
    switch (event.type) {
      case "MessageAttempted":
        return [attemptedMessageKey(event.data.messageId)];
      case "MessageSent":
      case "SignatureLinkSent":
      case "SignedCopySent":
      case "CancellationSent":
      case "RefusalExplained":
      case "ReminderSent":
        return [event.data.providerMessageId];
      default:
        return [];
    }
  },
  project: (_record, event) => ({ documentId: event.streamId }),
};
