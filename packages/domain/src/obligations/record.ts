import type { Channel, DomainEvent, StreamKind, WebhookType } from "@rubrica/events";
import type { Photos } from "../document/photo-progress.ts";

/** Something that has to be done, by kind. */
export type ObligationKind =
  | "claim-turn"
  | "announce-turn"
  | "release-turn"
  | "send-template"
  | "send-link"
  | "prepare"
  | "refund"
  | "check-identity"
  | "seal"
  | "fetch-evidence"
  | "report"
  | "webhook"
  | "continue-bulk"
  | "forget-rows";

/** Something that has to be done, until an event says that it was. */
export type Obligation = {
  /** `{event id}:{kind}[:{target}]`: stable, and what receivers outside see. */
  id: string;
  kind: ObligationKind;
  /** Whom it is about, or null when it is about the whole document. */
  signerId: string | null;
  /** What a webhook tells; null for the other kinds. */
  webhookType: WebhookType | null;
  /** UTC, ISO 8601. */
  dueAt: string;
  /** Attempts begun or failed so far, where events tell of them. */
  attempts: number;
};

/** How far one of the two messages to a signer has come. */
export type MessageProgress = "unsent" | "sent" | "given_up";

/** How far the identity provider's evidence has come: it keeps none, it has some, that could not be fetched for a while, or it was fetched. */
export type EvidenceProgress = "none" | "kept" | "delayed" | "fetched";

/** What of a signer decides about obligations. */
export type SignerProgress = {
  signerId: string;
  order: number;
  turn: "waiting" | "queued" | "came";
  /** The signer's place on their phone's line, by the line's own events. */
  line: "off" | "queued" | "holds";
  template: MessageProgress;
  link: MessageProgress;
  /** A message could not be delivered for good. */
  undeliverable: boolean;
  wantsLink: boolean;
  /** Where they are validated. */
  photos: Photos;
  signed: boolean;
};

/** A document's open obligations, and what of the document decides about them. JSON; names no person. */
export type ObligationsRecord = {
  documentId: string;
  accountId: string;
  channel: Channel;
  sendMessages: boolean;
  hasWebhook: boolean;
  status: "preparing" | "pending" | "completed" | "rejected" | "failed";
  sealed: boolean;
  evidence: EvidenceProgress;
  reported: boolean;
  /** The account got its credit back for a document that could not be prepared. */
  refunded: boolean;
  signers: readonly SignerProgress[];
  open: readonly Obligation[];
  /** The earliest `dueAt` of the open ones, or null when none is open. */
  nextDueAt: string | null;
};

/** An event as it was recorded, as far as obligations go. */
export type ObligingEvent<Event extends DomainEvent = DomainEvent> = Event & {
  id: string;
  streamKind: StreamKind;
  streamId: string;
  metadata: { at: string; accountId: string };
};

/** What a subscriber is given: the obligation, and whose it is. */
export type PublishedObligation = { obligation: Obligation; documentId: string; accountId: string };

/** What a subscriber is given of what a bulk call owes. */
export type PublishedBulkObligation = { obligation: Obligation; bulkId: string; accountId: string };

/** Where an obligation's message goes. */
export const obligationSubject = (kind: ObligationKind): string => `obligations.${kind}`;
