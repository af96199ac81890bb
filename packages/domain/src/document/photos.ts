import type { DocumentEvent, FileReference, Origin, PhotoKind } from "@rubrica/events";
import { DomainError } from "../decider.ts";
import { lastPhoto, requestedDocument, signerOf, signingObstacle } from "./lookup.ts";
import type { Document } from "./state.ts";

/** How often a signer may upload one kind of photo. */
const MAX_UPLOADS_A_KIND = 10;

const uploaded = { selfie: "SelfieUploaded", idFront: "IdFrontUploaded", idBack: "IdBackUploaded" } as const;

/** A photo of a signer; its bytes are durable. */
export interface UploadPhoto {
  signerId: string;
  kind: PhotoKind;
  file: FileReference;
  origin: Origin;
}

const assertMayUpload = (document: Document, signerId: string): void => {
  const requested = requestedDocument(document);
  const obstacle = signingObstacle(requested, signerOf(requested, signerId));
  if (obstacle && obstacle !== "photos_missing") throw new DomainError(obstacle, "no photo can be added now");
  if (!requested.requestPhotos) throw new DomainError("photos_not_requested", "the document asks for no photos");
};

/**
 * Takes a photo; a later one of the same kind replaces it, and each is kept. Nothing when it is the same picture again,
 * or when one of the kind was approved already.
 * @throws {DomainError} photos_not_requested, too_many_photos, already_signed, document_ended, document_being_prepared
 */
export const uploadPhoto = (document: Document, { signerId, kind, file, origin }: UploadPhoto): DocumentEvent[] => {
  assertMayUpload(document, signerId);
  const signer = signerOf(document, signerId);
  const last = lastPhoto(signer, kind);
  const stands = last?.validation !== "rejected";
  if (stands && (last?.validation === "approved" || last?.file.sha256 === file.sha256)) return [];
  const attempt = signer.photos[kind].length + 1;
  if (attempt > MAX_UPLOADS_A_KIND) throw new DomainError("too_many_photos", `${kind} was uploaded too often`);
  const validation = requestedDocument(document).authentication === "biometric" ? "pending" : "none";
  return [{ type: uploaded[kind], data: { signerId, attempt, file, validation }, personal: origin }];
};
