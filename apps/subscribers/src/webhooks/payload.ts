import { type RequestedDocument, signerOf } from "@rubrica/domain";
import type { WebhookType } from "@rubrica/events";
import { type PublicFileTokens, publicFileUrl } from "@rubrica/secrets";
import type { WebhookPayload } from "@rubrica/webhooks";

/** Which callback of a document. */
export interface WebhookToTell {
  webhookType: WebhookType;
  /** The signer whom a `msg` or a `rejection` is about. */
  signerId: string | null;
  /** Why the message of a `msg` was given up, and to which phone; of the other kinds null. */
  failure: { reason: string; phone: string | null } | null;
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
      const { person } = signerToTellOf(document, told);
      if (!person) return null;
      const signer = { id_custom: person.idCustom, contact: told.failure?.phone ?? person.phone };
      return { type: "msg", data: { ...common, ...signer, reason: told.failure?.reason ?? "" } };
    }
    case "rejection":
      return rejectionPayload(document, told, common);
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
