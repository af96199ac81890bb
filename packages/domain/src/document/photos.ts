import { type DocumentEvent, type FileReference, type Origin, type PhotoKind, photoUploads } from "@rubrica/events";
import { DomainError } from "../decider.ts";
import { actingSigner, lastPhoto, requestedDocument, signingObstacle } from "./lookup.ts";
import type { Document, Signer } from "./state.ts";

/** How often a signer may upload one kind of photo. */
const MAX_UPLOADS_A_KIND = 10;

/** A photo of a signer; its bytes are durable. */
export interface UploadPhoto {
  signerId: string;
  /** The number of the link that they came by; left out: the first. */
  linkNumber?: number;
  kind: PhotoKind;
  file: FileReference;
  origin: Origin;
}

const assertMayUpload = (document: Document, signer: Signer): void => {
  const requested = requestedDocument(document);
  const obstacle = signingObstacle(requested, signer);
  if (obstacle && obstacle !== "photos_missing") throw new DomainError(obstacle, "no photo can be added now");
  if (!requested.requestPhotos) throw new DomainError("photos_not_requested", "the document asks for no photos");
};

/**
 * Takes a photo; a later one of the same kind replaces it, and each is kept. Nothing when it is the same picture again,
 * or when one of the kind was approved already.
 * @throws {DomainError} link_replaced, photos_not_requested, too_many_photos, already_signed, document_ended,
 * document_being_prepared
 */
export const uploadPhoto = (document: Document, { kind, file, origin, ...acting }: UploadPhoto): DocumentEvent[] => {
  const signer = actingSigner(document, acting);
  assertMayUpload(document, signer);
  const last = lastPhoto(signer, kind);
  const stands = last?.validation !== "rejected";
  if (stands && (last?.validation === "approved" || last?.file.sha256 === file.sha256)) return [];
  const attempt = signer.photos[kind].length + 1;
  if (attempt > MAX_UPLOADS_A_KIND) throw new DomainError("too_many_photos", `${kind} was uploaded too often`);
  const validation = requestedDocument(document).authentication === "biometric" ? "pending" : "none";
  return [
    { type: photoUploads[kind], data: { signerId: signer.signerId, attempt, file, validation }, personal: origin },
  ];
};
