/** How a stream's events become a state. */
export interface Fold<State, Event> {
  initial: State;
  evolve(state: State, event: Event): State;
}

/** Decides what a command means for a state: the events to append, none when there is nothing to do. */
export type Decide<State, Command, Event> = (state: State, command: Command) => readonly Event[];

/** An event as a fold may meet it: one read from a store says when it was decided (UTC, ISO 8601), a new one does not yet. */
export type Dated<Event> = Event & { metadata?: { at: string } };

/** The state that events lead to. */
export const foldOf = <State, Event>({ initial, evolve }: Fold<State, Event>, events: Iterable<Event>): State => {
  let state = initial;
  for (const event of events) state = evolve(state, event);
  return state;
};

/** Why a command was refused; the HTTP status is given at the edge. */
export type DomainErrorCode =
  | "unknown_document"
  | "unknown_signer"
  | "unknown_message"
  | "unknown_photo"
  | "not_next_signer"
  | "message_not_due"
  | "document_ended"
  | "document_open"
  | "document_changed"
  | "document_not_erased"
  | "document_being_prepared"
  | "photos_not_requested"
  | "photos_missing"
  | "too_many_photos"
  | "already_signed"
  | "link_replaced"
  | "correction_too_late"
  | "nothing_to_send"
  | "signer_queued"
  | "resent_too_soon"
  | "resent_too_often"
  | "expiry_changed_too_often"
  | "unknown_account"
  | "unknown_key"
  | "credits_exhausted"
  | "campaign_exists"
  | "unknown_bulk"
  | "bulk_refused"
  | "bulk_open"
  | "unknown_delivery"
  | "too_many_webhook_tests"
  | "unknown_notices";

/** A command that the domain refuses. The message names no person. */
export class DomainError extends Error {
  readonly code: DomainErrorCode;

  constructor(code: DomainErrorCode, message: string) {
    super(message);
    this.name = "DomainError";
    this.code = code;
  }
}
