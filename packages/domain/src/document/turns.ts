import type { DocumentEvent } from "@rubrica/events";
import { DomainError } from "../decider.ts";
import { isTurnDue } from "../standing/due.ts";
import { hasEnded, nextSigners, requestedDocument, signerOf } from "./lookup.ts";
import type { Document, Signer } from "./state.ts";

/** Whom a phone was claimed for: a signer, and the number of the link that they had then (the first where left out). */
export interface ClaimedFor {
  signerId: string;
  linkNumber?: number;
}

/**
 * The signer when their turn is due: null after it came, after they signed, after the document's end, and when they were
 * corrected since their phone was claimed: it may be another one.
 */
const waitingSigner = (document: Document, { signerId, linkNumber = 0 }: ClaimedFor): Signer | null => {
  const signer = signerOf(document, signerId);
  if (signer.linkNumber !== linkNumber || signer.signed || hasEnded(document)) return null;
  if (document.status === "preparing") {
    throw new DomainError("document_being_prepared", "there is nothing to sign yet");
  }
  if (!nextSigners(document).includes(signer))
    throw new DomainError("not_next_signer", "another signer comes before this one");
  return isTurnDue(requestedDocument(document), signer) ? signer : null;
};

/** Whether the signer's phone is to be claimed: it is their turn, and nothing is known of it yet. */
export const isTurnToBeClaimed = (document: Document, signerId: string): boolean => {
  const signer = signerOf(document, signerId);
  return isTurnDue(requestedDocument(document), signer) && signer.turn === "waiting";
};

/**
 * Records, once, that the signer's turn came: from then on they may be sent messages, where the document sends any. A signer
 * who signed before their turn is passed over.
 * @throws {DomainError} document_being_prepared, not_next_signer
 */
export const recordTurnCome = (document: Document, claimed: ClaimedFor): DocumentEvent[] => {
  const signer = waitingSigner(document, claimed);
  if (!signer) return [];
  return [{ type: "SignerTurnCame", data: { signerId: signer.signerId, lineId: signer.lineId }, personal: null }];
};

/** The event by which a signer is sent messages without having their phone's turn. */
export const comeOutOfTurn = ({ signerId }: Signer): DocumentEvent => ({
  type: "SignerTurnCame",
  data: { signerId, lineId: null },
  personal: null,
});

/**
 * Records that the signer waits in line: the phone has another active document. Nothing when the turn came meanwhile. Who
 * chose to continue after they were to be asked anew, and stands by it, waits for nothing, and takes no turn.
 * @throws {DomainError} document_being_prepared, not_next_signer
 */
export const recordQueued = (
  document: Document,
  { behindDocumentId, ...claimed }: ClaimedFor & { behindDocumentId: string },
): DocumentEvent[] => {
  const signer = waitingSigner(document, claimed);
  if (signer?.turn !== "waiting" || signer.lineId === null) return [];
  if (signer.continuedAnew && !signer.refused) return [comeOutOfTurn(signer)];
  const data = { signerId: signer.signerId, lineId: signer.lineId, behindDocumentId };
  return [{ type: "SignerQueued", data, personal: null }];
};
