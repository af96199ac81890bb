/** How a stream's events become a state. */
export interface Fold<State, Event> {
  initial: State;
  evolve(state: State, event: Event): State;
}

/** Decides what a command means for a state: the events to append, none when there is nothing to do. */
export type Decide<State, Command, Event> = (state: State, command: Command) => readonly Event[];

/** Why a command was refused; the HTTP status is given at the edge. */
export type DomainErrorCode =
  | "unknown_document"
  | "unknown_signer"
  | "document_ended"
  | "document_changed"
  | "document_being_prepared"
  | "photos_missing"
  | "already_signed"
  | "unknown_account"
  | "unknown_key"
  | "credits_exhausted"
  | "campaign_exists";

/** A command that the domain refuses. The message names no person. */
export class DomainError extends Error {
  readonly code: DomainErrorCode;

  constructor(code: DomainErrorCode, message: string) {
    super(message);
    this.name = "DomainError";
    this.code = code;
  }
}
