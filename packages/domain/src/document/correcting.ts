import { correctable, type DocumentEvent, photoKinds, type Requester } from "@rubrica/events";
import { DomainError } from "../decider.ts";
import { hasEnded, requestedDocument, signerOf } from "./lookup.ts";
import { checkAskedAnew, wouldBeAskedAnew } from "./resending.ts";
import type { Document, Signer, SignerPerson } from "./state.ts";

const MAX_CORRECTIONS = 20;

/** Who a signer is, by what is named here; the rest stays. */
export interface CorrectSigner {
  signerId: string;
  /** The request's own id: the same again is nothing. */
  correctionId: string;
  person: Partial<Omit<SignerPerson, "idCustom">>;
  /** The line of the signer's phone as it is corrected; left out where it is not. */
  lineId?: string | undefined;
  by: Requester;
  /** Milliseconds since the UNIX epoch. */
  now: number;
}

/** Whether the signer had a part in the document: then who they are is no longer their requester's to say. */
const tookPart = ({ pageOpenings, photos, consentVersion, signed }: Signer): boolean =>
  pageOpenings > 0 || photoKinds.some((kind) => photos[kind].length > 0) || consentVersion !== null || signed;

/**
 * Corrects who a signer is: they get another link, and are asked anew. Nothing where they are named so already.
 * @throws {DomainError} unknown_signer; document_ended; correction_too_late once they had a part in it, or were corrected
 * too often; resent_too_often and resent_too_soon of who was asked: a correction sends a message as a resend does
 */
export const correctSigner = (
  document: Document,
  { signerId, correctionId, person, lineId, by, now }: CorrectSigner,
): DocumentEvent[] => {
  const requested = requestedDocument(document);
  const signer = signerOf(requested, signerId);
  if (signer.corrections.some((one) => one.correctionId === correctionId)) return [];
  const before = signer.person;
  if (hasEnded(requested) || !before) throw new DomainError("document_ended", "the document has ended");
  const after = { ...before, ...person };
  const fields = correctable.filter((field) => before[field] !== after[field]);
  if (tookPart(signer) || (fields.length > 0 && signer.corrections.length >= MAX_CORRECTIONS)) {
    throw new DomainError("correction_too_late", "the signer can't be corrected any more");
  }
  if (fields.length === 0) return [];
  if (wouldBeAskedAnew(signer)) checkAskedAnew(signer, now);
  const data = {
    signerId,
    correctionId,
    linkNumber: signer.linkNumber + 1,
    fields,
    formerLineId: signer.lineId,
    lineId: signer.lineId === null ? null : (lineId ?? signer.lineId),
    by,
  };
  return [{ type: "SignerCorrected", data, personal: { before, after } }];
};
