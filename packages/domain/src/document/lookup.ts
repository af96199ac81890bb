import { type PhotoKind, photoKinds, type ReleaseReason } from "@rubrica/events";
import { DomainError, type DomainErrorCode } from "../decider.ts";
import { isOfNextGroup, releaseReasonOf } from "../standing/due.ts";
import type { ConcludedDocument, Document, Photo, RequestedDocument, Signer } from "./state.ts";

/** The document that was requested. @throws {DomainError} unknown_document */
export const requestedDocument = (document: Document): RequestedDocument => {
  if (document.status === "none") throw new DomainError("unknown_document", "there is no such document");
  return document;
};

/** Whether the document was signed by all, rejected or taken back. One that was never prepared was not; see {@link hasEnded}. */
export const isConcluded = (document: RequestedDocument): document is ConcludedDocument =>
  document.status === "completed" || document.status === "rejected" || document.status === "withdrawn";

/** The document, which is concluded. @throws {DomainError} unknown_document, document_open */
export const concludedDocument = (document: Document): ConcludedDocument => {
  const requested = requestedDocument(document);
  if (isConcluded(requested)) return requested;
  throw new DomainError("document_open", "the document has not ended");
};

/** A signer of the document. @throws {DomainError} unknown_document, unknown_signer */
export const signerOf = (document: Document, signerId: string): Signer => {
  const signer = requestedDocument(document).signers.find((candidate) => candidate.signerId === signerId);
  if (!signer) throw new DomainError("unknown_signer", "the document has no such signer");
  return signer;
};

/**
 * A signer who acts by one of their links. `linkNumber` left out: by the first.
 * @throws {DomainError} unknown_document, unknown_signer; link_replaced when they have another link since
 */
export const actingSigner = (
  document: Document,
  { signerId, linkNumber = 0 }: { signerId: string; linkNumber?: number | undefined },
): Signer => {
  const signer = signerOf(document, signerId);
  if (signer.linkNumber !== linkNumber) throw new DomainError("link_replaced", "the signer has another link");
  return signer;
};

/** Whether nothing more is asked of anybody: the document is concluded, or could never be prepared. */
export const hasEnded = (document: Document): boolean =>
  document.status !== "none" && (document.status === "failed" || isConcluded(document));

/**
 * The signers whose turn it is by order: unsigned, and nobody in an earlier group is unsigned. Nobody when all have signed, or
 * the document is at its end.
 */
export const nextSigners = (document: Document): readonly Signer[] => {
  if (document.status === "none" || hasEnded(document)) return [];
  const { signers } = document;
  return signers.filter((signer) => !signer.signed && isOfNextGroup(signers, signer));
};

/** The signer's last photo of a kind, which is the one that counts. */
export const lastPhoto = (signer: Signer, kind: PhotoKind): Photo | undefined => signer.photos[kind].at(-1);

/** Whether the signer gave every photo that the document asks for, approved where photos are validated. */
const hasPhotos = (document: RequestedDocument, signer: Signer): boolean => {
  if (!document.requestPhotos) return true;
  return photoKinds.every((kind) => {
    const photo = lastPhoto(signer, kind);
    return photo && (photo.validation === "none" || photo.validation === "approved");
  });
};

/** What keeps a signer from signing, or null when nothing does. */
export const signingObstacle = (document: RequestedDocument, signer: Signer): DomainErrorCode | null => {
  if (document.status === "preparing") return "document_being_prepared";
  if (signer.signed) return "already_signed";
  if (document.status !== "pending") return "document_ended";
  return hasPhotos(document, signer) ? null : "photos_missing";
};

/** Whether the signer's signature would be taken now; also before their turn, since a link works at any time. */
export const canSign = (document: Document, signerId: string): boolean =>
  document.status !== "none" && signingObstacle(document, signerOf(document, signerId)) === null;

/** Why the signer should not be on their phone's line (any more), or null when they may be. */
export const releaseReason = (document: Document, signerId: string): ReleaseReason | null => {
  const signer = signerOf(document, signerId);
  return releaseReasonOf(requestedDocument(document), signer);
};
