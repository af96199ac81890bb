import { type RequestedDocument, signerOf } from "@rubrica/domain";
import type { WebhookType } from "@rubrica/events";
import type { WebhookPayload } from "@rubrica/outbound/webhooks";
import { type PublicFileTokens, publicFileUrl } from "@rubrica/secrets";

/** Which callback of a document. */
export interface WebhookToTell {
  webhookType: WebhookType;
  /** The signer whom it is about; null where it is about the document. */
  signerId: string | null;
  /** For the kinds that tell of a signer while the document goes on; null for the others. */
  occasion: Occasion | null;
}

/** What happened to a signer. */
export interface Occasion {
  /** UTC, ISO 8601. */
  at: string;
  /** Why a message was given up; null otherwise. */
  reason: string | null;
  /** Their phone then, where they were corrected since. */
  formerPhone: string | null;
}

export interface PublicFiles {
  /** Where the outside reaches the service, without a slash at the end. */
  publicUrl: string;
  fileTokens: PublicFileTokens;
}

/** What the document's callback says, or null when whom it is about was forgotten. */
export const webhookPayload = (
  document: RequestedDocument,
  told: WebhookToTell,
  publicFiles: PublicFiles,
): WebhookPayload | null => {
  const common = { id_seguimiento: document.documentId, custom_parameters: document.texts?.customParameters ?? null };
  if (!document.texts) return null;
  switch (told.webhookType) {
    case "alert":
      return { type: "alert", data: alertData(document, common, publicFiles) };
    case "report": {
      const report = { report_url: publicUrlOf(document, "report", publicFiles) };
      return { type: "report", data: document.channel === "legacy" ? { ...common, ...report } : common };
    }
    case "msg": {
      const signer = signerThen(document, told);
      return signer && { type: "msg", data: { ...common, ...signer, reason: told.occasion?.reason ?? "" } };
    }
    case "rejection":
      return rejectionPayload(document, told, common);
    case "canceled":
    case "expired":
      return withdrawalPayload(document, told.webhookType, common);
    case "no_continue":
    case "signer_signed":
    case "page_opened":
      return stepPayload(document, told, common);
    default:
      return told.webhookType satisfies never;
  }
};

/** What every callback's data begins with. */
type Common = { id_seguimiento: string; custom_parameters: Record<string, unknown> | null };

const alertData = (document: RequestedDocument, common: Common, publicFiles: PublicFiles) => {
  if (document.status !== "completed" || document.endedAt === null) throw new Error("the document is not completed");
  const finished = { ...common, is_finished: true as const, finished_at: document.endedAt };
  if (document.channel !== "legacy") return finished;
  const documentUrl = { documento_url: publicUrlOf(document, "document", publicFiles) };
  return { ...finished, ...documentUrl, report_url: publicUrlOf(document, "report", publicFiles) };
};

const rejectionPayload = (document: RequestedDocument, told: WebhookToTell, common: Common): WebhookPayload | null => {
  if (document.status !== "rejected") throw new Error("the document is not rejected");
  const { person } = signerToTellOf(document, told);
  if (document.rejection.reason === null || !person) return null;
  const rejection = { id_custom: person.idCustom, rejection_reason: document.rejection.reason };
  return { type: "rejection", data: { ...common, ...rejection, signersCustomData: signersCustomData(document) } };
};

const withdrawalPayload = (
  document: RequestedDocument,
  type: "canceled" | "expired",
  common: Common,
): WebhookPayload => {
  const { status, expiresAt } = document;
  if (status !== "withdrawn" || document.endedAt === null) throw new Error("the document was not taken back");
  if (type === "expired") return { type, data: { ...common, expires_at: expiresAt ?? document.endedAt } };
  return { type, data: { ...common, canceled_at: document.endedAt, reason: document.takenBack.text } };
};

/** What is told of a signer on their way. */
const stepPayload = (document: RequestedDocument, told: WebhookToTell, common: Common): WebhookPayload | null => {
  const { webhookType: type, occasion } = told;
  const signer = signerThen(document, told);
  if (!signer || !occasion) return null;
  const data = { ...common, ...signer };
  if (type === "no_continue") return { type, data: { ...data, refused_at: occasion.at } };
  if (type === "signer_signed") return { type, data: { ...data, signed_at: occasion.at } };
  return { type: "page_opened", data: { ...data, opened_at: occasion.at } };
};

/** The signer as they were then, or null when they were forgotten. */
const signerThen = (document: RequestedDocument, told: WebhookToTell) => {
  const { person } = signerToTellOf(document, told);
  return person && { id_custom: person.idCustom, contact: told.occasion?.formerPhone ?? person.phone };
};

const signerToTellOf = (document: RequestedDocument, { signerId, webhookType }: WebhookToTell) => {
  if (signerId === null) throw new Error(`a callback of type ${webhookType} names its signer`);
  return signerOf(document, signerId);
};

const publicUrlOf = (
  { documentId }: RequestedDocument,
  kind: "document" | "report",
  { publicUrl, fileTokens }: PublicFiles,
): string => publicFileUrl(publicUrl, fileTokens, { documentId, kind });

/** The signers as the integrator knows them; a bulk row's has the row's variables beside. */
const signersCustomData = ({ signers, texts }: RequestedDocument) =>
  signers.flatMap(({ person }) =>
    person
      ? [
          {
            ...texts?.variables,
            id_custom: person.idCustom,
            name: person.name,
            dni: person.idNumber,
            contact: person.phone,
          },
        ]
      : [],
  );
