import type { Medium, Provider } from "@rubrica/events";

/**
 * What the signer is told first: who asks, for what, with the quick replies Continue and Don't continue; no link yet, but
 * where there are no buttons.
 */
export interface TemplateMessage {
  /** Stable across attempts: the obligation's id. */
  messageId: string;
  /** A phone: digits, international format. By e-mail an address. */
  to: string;
  signerName: string;
  businessName: string;
  documentName: string;
  /** The campaign's own text, or null for the standard one. */
  text: string | null;
  /** Until when it can be signed, as people read it; null: for as long as it takes. */
  until: string | null;
  /** The personal link, which goes along where there are no buttons. */
  link: string;
}

/** The personal link, after the signer chose to continue, or once the signed copy is there. */
export interface LinkMessage {
  messageId: string;
  to: string;
  signerName: string;
  documentName: string;
  /** Until when it can be signed, as people read it; null: for as long as it takes. A copy does not say it. */
  until: string | null;
  link: string;
}

/** What notes tell: that the document was canceled; what follows from choosing not to continue, and how to go back on it. */
export type NoteKind = "cancellation" | "refusal";

/**
 * What tells something, and asks for nothing: no link, no buttons. `hasContinued`: the signer chose to continue before, and has
 * the link.
 */
export type NoteMessage = {
  messageId: string;
  to: string;
  signerName: string;
  businessName: string;
  documentName: string;
} & ({ kind: "cancellation" } | { kind: "refusal"; hasContinued: boolean });

/** What decides how a message that is no first one may be sent. */
export interface Circumstances {
  /** When the signer pressed a button last, UTC in ISO 8601; null when that is not known. */
  answeredAt: string | null;
  /** Why the attempt before failed, as the provider's word; null at the first. */
  lastFailure: string | null;
}

/** The link, with what decides how it may be sent. */
export type LinkToSend = LinkMessage & Circumstances;

/** A note, likewise. */
export type NoteToSend = NoteMessage & Circumstances;

/**
 * That the signature is awaited still: with the quick replies of the first message before the signer chose to continue, with
 * the link after it, and where there are no buttons.
 */
export interface ReminderMessage {
  messageId: string;
  to: string;
  signerName: string;
  businessName: string;
  documentName: string;
  /** Until when it can be signed, as people read it; null: for as long as it takes. */
  until: string | null;
  link: string;
  /** The signer chose to continue before. */
  hasContinued: boolean;
}

/** A reminder, with what decides how it may be sent. */
export type ReminderToSend = ReminderMessage & Circumstances;

/** The provider took the message. */
export interface Sent {
  providerMessageId: string;
}

/**
 * Reaches signers by one medium. What becomes of a message comes back as notices (`Notice`, @rubrica/events), where the
 * medium tells. A `signal` that is aborted gives up; what it is aborted with is thrown.
 */
export interface MessagingProvider {
  /** Who it is, for whoever reads the record. */
  readonly provider: Provider;
  readonly medium: Medium;
  /**
   * How long to wait, after an attempt whose outcome nobody knows, for a notice that tells it, before the message is sent
   * again. Missing where such a message is sent again at once.
   */
  readonly unknownOutcomePauseMs?: number;
  /** @throws {MessagingError} */
  sendTemplate(message: TemplateMessage, signal: AbortSignal): Promise<Sent>;
  /** @throws {MessagingError} */
  sendLink(message: LinkToSend, signal: AbortSignal): Promise<Sent>;
  /** Where the signed copy is. @throws {MessagingError} */
  sendCopy(message: LinkToSend, signal: AbortSignal): Promise<Sent>;
  /** @throws {MessagingError} */
  sendReminder(message: ReminderToSend, signal: AbortSignal): Promise<Sent>;
  /** @throws {MessagingError} */
  sendNote(message: NoteToSend, signal: AbortSignal): Promise<Sent>;
  /**
   * Has the provider forget whatever it was sent under the service's own id of a message; of nothing, too, and again.
   * Missing where a provider knows no such thing.
   * @throws {MessagingError} when it has to be asked again.
   */
  forget?(messageId: string, signal: AbortSignal): Promise<void>;
}

/** The providers, by medium, in the order in which they are tried; at least one. */
export type MessagingProviders = ReadonlyMap<Medium, MessagingProvider>;

/** The provider did not take the message; `permanent` when trying again is of no use. `reason` names no person. */
export class MessagingError extends Error {
  readonly reason: string;
  readonly permanent: boolean;
  /** The shortest pause before the next attempt that the provider wants, in milliseconds. */
  readonly pauseMs: number | undefined;

  constructor(reason: string, permanent: boolean, pauseMs?: number) {
    super(reason);
    this.name = "MessagingError";
    this.reason = reason;
    this.permanent = permanent;
    this.pauseMs = pauseMs;
  }
}
