import type { DocumentEvent } from "@rubrica/events";
import { DomainError } from "../decider.ts";
import { isTurnDue } from "./due.ts";
import { hasEnded, nextSigner, signerOf, signersStanding } from "./lookup.ts";
import type { Document, Signer } from "./state.ts";

/** The signer when their turn is due: null after it came, after they signed, and after the document's end. */
const waitingSigner = (document: Document, signerId: string): Signer | null => {
  const signer = signerOf(document, signerId);
  if (signer.signed || hasEnded(document)) return null;
  if (document.status === "preparing") {
    throw new DomainError("document_being_prepared", "there is nothing to sign yet");
  }
  if (nextSigner(document) !== signer) throw new DomainError("not_next_signer", "another signer comes before this one");
  const { standing, signerStanding } = signersStanding(document, signerId);
  return isTurnDue(standing, signerStanding) ? signer : null;
};

/**
 * Lets the signer be sent messages, once, where the document sends any. A signer who signed before their turn is passed
 * over.
 * @throws {DomainError} document_being_prepared, not_next_signer
 */
export const giveTurn = (document: Document, { signerId }: { signerId: string }): DocumentEvent[] => {
  const signer = waitingSigner(document, signerId);
  if (!signer) return [];
  return [{ type: "SignerTurnCame", data: { signerId, lineId: signer.lineId }, personal: null }];
};

/**
 * Holds the signer's message back: the phone has another active document. Nothing when the turn came meanwhile.
 * @throws {DomainError} document_being_prepared, not_next_signer
 */
export const queueSigner = (
  document: Document,
  { signerId, behindDocumentId }: { signerId: string; behindDocumentId: string },
): DocumentEvent[] => {
  const signer = waitingSigner(document, signerId);
  if (signer?.turn !== "waiting" || signer.lineId === null) return [];
  const data = { signerId, lineId: signer.lineId, behindDocumentId };
  return [{ type: "SignerQueued", data, personal: null }];
};
