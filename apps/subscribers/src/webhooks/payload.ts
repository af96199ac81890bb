import { type RequestedDocument, signerOf } from "@rubrica/domain";
import type { WebhookType } from "@rubrica/events";
import { type PublicFileTokens, publicFileUrl } from "@rubrica/secrets";

/** What a callback carries: the contract's `{type, data}`. */
export interface WebhookPayload {
  type: WebhookType;
  data: Record<string, unknown>;
}

/** Which callback of a document. */
export interface WebhookToTell {
  webhookType: WebhookType;
  /** The signer whom a `msg` is about. */
  signerId: string | null;
  /** Why the message of a `msg` was given up. */
  reason: string | null;
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
  if (!document.texts) return null;
  const data = dataOf(document, told, publicFiles);
  return data && { type: told.webhookType, data };
};

const dataOf = (
  document: RequestedDocument,
  told: WebhookToTell,
  publicFiles: PublicFiles,
): Record<string, unknown> | null => {
  const common = { id_seguimiento: document.documentId };
  const echoed = { custom_parameters: document.texts?.customParameters ?? null };
  switch (told.webhookType) {
    case "alert": {
      if (document.status !== "completed" || document.endedAt === null)
        throw new Error("the document is not completed");
      const finished = { ...common, is_finished: true, finished_at: document.endedAt, ...echoed };
      if (document.channel !== "legacy") return finished;
      const documentUrl = { documento_url: publicUrlOf(document, "document", publicFiles) };
      return { ...finished, ...documentUrl, report_url: publicUrlOf(document, "report", publicFiles) };
    }
    case "report":
      if (document.channel !== "legacy") return { ...common, ...echoed };
      return { ...common, ...echoed, report_url: publicUrlOf(document, "report", publicFiles) };
    case "msg":
      return undeliveredData(document, told, common, echoed);
    case "rejection": {
      if (document.status !== "rejected") throw new Error("the document is not rejected");
      if (document.rejection.reason === null) return null;
      const rejection = { ...common, rejection_reason: document.rejection.reason, ...echoed };
      return { ...rejection, signersCustomData: signersCustomData(document) };
    }
    default:
      return told.webhookType satisfies never;
  }
};

const publicUrlOf = (
  { documentId }: RequestedDocument,
  kind: "document" | "report",
  { publicUrl, fileTokens }: PublicFiles,
): string => publicFileUrl(publicUrl, fileTokens, { documentId, kind });

const undeliveredData = (
  document: RequestedDocument,
  { signerId, reason }: WebhookToTell,
  common: object,
  echoed: object,
): Record<string, unknown> | null => {
  if (signerId === null) throw new Error("an undelivered message names its signer");
  const { person } = signerOf(document, signerId);
  return person && { ...common, id_custom: person.idCustom, contact: person.phone, reason, ...echoed };
};

/** The signers as the integrator knows them; a bulk row's has the row's variables beside. */
const signersCustomData = ({ signers, texts }: RequestedDocument): Record<string, unknown>[] =>
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
