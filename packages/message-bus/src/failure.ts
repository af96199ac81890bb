/** What became of a message that a handler rejected, or was silent about. Names no person and holds nothing of the message's body. */
export interface HandlingFailure {
  subject: string;
  group: string;
  messageId: string;
  error: unknown;
}
