/** Why EventStoreDB could not do what it was asked. */
export type EventStoreDbFailure =
  /** The URL is not a valid one, or asks for what is not supported. */
  | "bad_url"
  /** It is not there, is starting, or says nothing; trying later may help. */
  | "unreachable"
  /** It answered, and will answer the same again: a user without rights, a deleted stream. */
  | "refused"
  /** The store was closed here. */
  | "closed";

/** EventStoreDB can't be used as asked; `message` is a sentence for the operator, without the URL's secrets. */
export class EventStoreDbError extends Error {
  readonly failure: EventStoreDbFailure;

  constructor(failure: EventStoreDbFailure, message: string) {
    super(message);
    this.name = "EventStoreDbError";
    this.failure = failure;
  }
}
