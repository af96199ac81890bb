/** What the signer is told first: who asks, for what, with the quick replies Continue and Don't continue; no link yet. */
export interface TemplateMessage {
  /** Stable across attempts: the obligation's id. */
  messageId: string;
  /** Digits, international format. */
  to: string;
  signerName: string;
  businessName: string;
  documentName: string;
  /** The campaign's own text, or null for the standard one. */
  text: string | null;
}

/** The personal link, after the signer chose to continue. */
export interface LinkMessage {
  messageId: string;
  to: string;
  signerName: string;
  documentName: string;
  link: string;
}

/** The provider took the message. */
export interface Sent {
  providerMessageId: string;
}

/**
 * What the provider tells afterwards. May come twice, late, out of order, or never; also before the answer to the sending
 * was taken note of. `messageId` is the sent message's, where the provider gives it back; `at` is in milliseconds since
 * the UNIX epoch.
 */
export type ProviderNotice = { providerMessageId: string; messageId?: string | undefined; at: number } & (
  | { kind: "delivered" }
  | { kind: "read" }
  | { kind: "failed"; reason: string; permanent: boolean }
  | { kind: "answered"; answer: "continue" | "no_continue" }
);

/** Reaches signers on their phone's messaging app. */
export interface MessagingProvider {
  /** Value of `method` in the API's answers. */
  readonly method: "wpp";
  /** @throws {MessagingError} */
  sendTemplate(message: TemplateMessage): Promise<Sent>;
  /** @throws {MessagingError} */
  sendLink(message: LinkMessage): Promise<Sent>;
}

/** The provider did not take the message; `permanent` when trying again is of no use. `reason` names no person. */
export class MessagingError extends Error {
  readonly reason: string;
  readonly permanent: boolean;

  constructor(reason: string, permanent: boolean) {
    super(reason);
    this.name = "MessagingError";
    this.reason = reason;
    this.permanent = permanent;
  }
}
