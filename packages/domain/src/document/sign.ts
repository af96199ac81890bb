import type { DocumentEvent, FileReference, Origin, SignatureMethod } from "@rubrica/events";
import { DomainError } from "../decider.ts";
import { actingSigner, requestedDocument, signingObstacle } from "./lookup.ts";
import type { Document } from "./state.ts";

/** A signature, its drawing's files durable. */
export interface Sign {
  signerId: string;
  /** The number of the link that they came by; left out: the first. */
  linkNumber?: number;
  /** Version of the text that the signer agreed to. */
  consentVersion: string;
  /** Hash of the file that the signer saw. */
  documentSha256: string;
  drawing: FileReference;
  drawingJpeg: FileReference;
  timeZone: string | null;
  /** Null, or left out, where it was not told. */
  method?: SignatureMethod | null;
  origin: Origin;
}

/**
 * Whether there is something for the signer to sign: false when they have signed already, whatever became of the
 * document since.
 * @throws {DomainError} link_replaced, document_being_prepared, document_ended, photos_missing, document_changed
 */
export const isToBeSigned = (
  document: Document,
  { documentSha256, ...acting }: Pick<Sign, "signerId" | "linkNumber" | "documentSha256">,
): boolean => {
  const requested = requestedDocument(document);
  const obstacle = signingObstacle(requested, actingSigner(requested, acting));
  if (obstacle === "already_signed") return false;
  if (obstacle) throw new DomainError(obstacle, "the document can't be signed now");
  if (requested.status !== "pending" || documentSha256 !== requested.file.sha256) {
    throw new DomainError("document_changed", "the signer saw another file");
  }
  return true;
};

/**
 * Signs, also before the signer's turn: a link works at any time. The last signature completes the document. Signing
 * again changes nothing, whatever became of the document since.
 * @throws {DomainError} link_replaced, document_being_prepared, document_ended, photos_missing, document_changed
 */
export const sign = (document: Document, command: Sign): DocumentEvent[] => {
  const { signerId, consentVersion, documentSha256, drawing, drawingJpeg, timeZone, method = null, origin } = command;
  if (!isToBeSigned(document, command)) return [];
  const isLast = requestedDocument(document).signers.every((signer) => signer.signed || signer.signerId === signerId);
  return [
    { type: "ConsentGiven", data: { signerId, consentVersion, documentSha256 }, personal: origin },
    {
      type: "DocumentSigned",
      data: { signerId, documentSha256, drawing, drawingJpeg, timeZone, method },
      personal: origin,
    },
    ...(isLast ? [{ type: "DocumentCompleted", data: {}, personal: null } as const] : []),
  ];
};

/**
 * Rejects the document, which ends it for every signer. Nothing when this signer did before.
 * @throws {DomainError} link_replaced, document_being_prepared, document_ended, already_signed
 */
export const reject = (
  document: Document,
  { signerId, linkNumber, reason, origin }: Pick<Sign, "signerId" | "linkNumber" | "origin"> & { reason: string },
): DocumentEvent[] => {
  const requested = requestedDocument(document);
  const signer = actingSigner(requested, { signerId, linkNumber });
  if (requested.status === "rejected" && requested.rejection.signerId === signerId) return [];
  const obstacle = requested.status === "completed" ? "document_ended" : signingObstacle(requested, signer);
  if (obstacle && obstacle !== "photos_missing") throw new DomainError(obstacle, "the document can't be rejected now");
  return [{ type: "Rejected", data: { signerId }, personal: { ...origin, reason } }];
};
