import { type PhotoKind, photoKindOf } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";

/** The kinds of entries, by the names that integrators know. */
export type LogEntryName =
  | "msg_delivered"
  | "template_response"
  | "no_continue"
  | "signature_link_sent"
  | "document_signed"
  | "dni_error"
  | "selfie_image_uploaded"
  | "dni_image_uploaded"
  | "selfie_biometric_validation"
  | "dni_biometric_validation"
  | "mrz_validation"
  | "provider_failed_validation"
  | "provider_rejection"
  | "document_rejected"
  | "document_canceled"
  | "document_expired"
  | "expiry_changed"
  | "resend_requested"
  | "signer_corrected"
  | "reminder_sent";

/** An entry of a document's log. Signers are named by id: who they are is in the events alone, encrypted. */
export type LogEntry = {
  event: LogEntryName;
  signerId: string;
  at: string;
  attempt?: number;
  result?: "approved" | "rejected";
  /** The photo that was validated. */
  photo?: PhotoKind;
  /** The number of corrections of signers up to this one, itself counted: it tells by which names they went then. Missing where there was none. */
  corrections?: number;
};

const sideOf = { front: "idFront", back: "idBack" } as const;

/** What the log says of an event of one signer's; undefined for what it does not tell. */
const entryOf = (event: JournalEvent): LogEntry | undefined => {
  const { at } = event.metadata;
  switch (event.type) {
    case "MessageDelivered":
    case "MessageRead":
      // "Read" replaces "delivered" on some phones. The link's arrival is not told: its sending is.
      return event.data.kind === "template" ? { event: "msg_delivered", signerId: event.data.signerId, at } : undefined;
    case "TemplateAnswered":
      return { event: "template_response", signerId: event.data.signerId, at };
    case "ContinueRefused":
      return { event: "no_continue", signerId: event.data.signerId, at };
    case "MessageSent":
      // Where there are no buttons, the link goes at once.
      return event.data.withLink ? { event: "signature_link_sent", signerId: event.data.signerId, at } : undefined;
    case "ReminderSent":
      return { event: "reminder_sent", signerId: event.data.signerId, at };
    case "ResendRequested":
      return { event: "resend_requested", signerId: event.data.signerId, at };
    case "SignerCorrected":
      return { event: "signer_corrected", signerId: event.data.signerId, at };
    case "SignatureLinkSent":
      return { event: "signature_link_sent", signerId: event.data.signerId, at };
    case "DocumentSigned":
      return { event: "document_signed", signerId: event.data.signerId, at };
    case "Rejected":
      return { event: "document_rejected", signerId: event.data.signerId, at };
    default:
      return identityEntryOf(event);
  }
};

const identityEntryOf = (event: JournalEvent): LogEntry | undefined => {
  const { at } = event.metadata;
  switch (event.type) {
    case "SelfieUploaded":
    case "IdFrontUploaded":
    case "IdBackUploaded": {
      const name = photoKindOf[event.type] === "selfie" ? "selfie_image_uploaded" : "dni_image_uploaded";
      return event.data.validation === "none" ? { event: name, signerId: event.data.signerId, at } : undefined;
    }
    case "SelfieValidated": {
      const { signerId, attempt, result } = event.data;
      return { event: "selfie_biometric_validation", signerId, at, attempt, result, photo: "selfie" };
    }
    case "IdDocumentValidated": {
      const { signerId, attempt, result, side } = event.data;
      return { event: "dni_biometric_validation", signerId, at, attempt, result, photo: sideOf[side] };
    }
    case "MrzValidated": {
      const { signerId, attempt, result } = event.data;
      return { event: "mrz_validation", signerId, at, attempt, result };
    }
    case "IdDocumentErrorFound":
      return { event: "dni_error", signerId: event.data.signerId, at };
    case "IdentityProviderFailed":
      return { event: "provider_failed_validation", signerId: event.data.signerId, at };
    case "IdentityProviderRejected":
      return { event: "provider_rejection", signerId: event.data.signerId, at };
    default:
      return undefined;
  }
};

/** The message whose arrival an event tells. */
export const arrivalOf = (event: JournalEvent): string | undefined =>
  event.type === "MessageDelivered" || event.type === "MessageRead" ? event.data.providerMessageId : undefined;

const withdrawalNames = {
  erasure: "document_rejected",
  canceled: "document_canceled",
  expired: "document_expired",
} as const;

/** Of the document as a whole, told under its first signer: that a bulk row's PDF can't be made, another expiry, that it was taken back. */
const documentEntryOf = (signerId: string | undefined, event: JournalEvent): LogEntry | undefined => {
  const { at } = event.metadata;
  if (signerId === undefined) return undefined;
  if (event.type === "DocumentExpiryChanged") return { event: "expiry_changed", signerId, at };
  if (event.type === "PreparationFailed") return { event: "document_rejected", signerId, at };
  return event.type === "DocumentWithdrawn" ? { event: withdrawalNames[event.data.reason], signerId, at } : undefined;
};

/** What the log says of an event of a document whose first signer this is; undefined for what it does not tell. */
export const logEntryOf = (firstSignerId: string | undefined, event: JournalEvent): LogEntry | undefined =>
  documentEntryOf(firstSignerId, event) ?? entryOf(event);
