import type { Projection } from "../projection.ts";

/** Which document a message that the provider took belongs to; the record's id is the provider's message id. */
export type SentMessageRecord = { documentId: string };

/** What a notice of the messaging provider is matched by: it names its message, never the document. */
export const sentMessages: Projection<SentMessageRecord> = {
  name: "sent-messages",
  indexes: [],
  keysOf: (event) =>
    event.type === "MessageSent" || event.type === "SignatureLinkSent" ? [event.data.providerMessageId] : [],
  project: (_record, event) => ({ documentId: event.streamId }),
};
