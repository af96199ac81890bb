import type { DocumentEvent, Requester } from "@rubrica/events";
import { DomainError } from "../decider.ts";
import { nextSigners, requestedDocument, signerOf } from "./lookup.ts";
import type { Document, Signer } from "./state.ts";

const PAUSE_MS = 10 * 60_000;
const MAX_TIMES = 10;

/** A signer who is to be sent anew what they were sent. */
export interface RequestResend {
  signerId: string;
  /** The request's own id: the same again is nothing. */
  resendId: string;
  by: Requester;
  /** Milliseconds since the UNIX epoch. */
  now: number;
}

/**
 * Whether beginning anew with a signer also asks them anew: they were asked before, wait in line, or are to be asked
 * anew already.
 */
export const wouldBeAskedAnew = ({ turn, askedAnew }: Signer): boolean => turn !== "waiting" || askedAnew.length > 0;

/** How long it is, in milliseconds, until a signer may be asked anew, also as they are corrected; 0: they may. */
export const askAnewPauseMs = ({ askedAnew }: Signer, now: number): number => {
  const last = askedAnew.at(-1);
  return last ? Math.max(0, Date.parse(last) + PAUSE_MS - now) : 0;
};

/**
 * Limits how often a signer is asked anew: each time may send them a message.
 * @throws {DomainError} resent_too_often, resent_too_soon
 */
export const checkAskedAnew = (signer: Signer, now: number): void => {
  if (signer.askedAnew.length >= MAX_TIMES) throw new DomainError("resent_too_often", "it was sent too often");
  if (askAnewPauseMs(signer, now) > 0) throw new DomainError("resent_too_soon", "it was sent a moment ago");
};

/**
 * Has a signer be sent anew what they were sent: the template, or the link where they chose to continue. Their phone's turn
 * is to be claimed once more.
 * @throws {DomainError} unknown_signer; nothing_to_send where nothing was sent yet, or is of use any more; signer_queued;
 * resent_too_soon; resent_too_often
 */
export const requestResend = (document: Document, { signerId, resendId, by, now }: RequestResend): DocumentEvent[] => {
  const requested = requestedDocument(document);
  const signer = signerOf(requested, signerId);
  if (signer.resends.includes(resendId)) return [];
  const isWaiting = nextSigners(requested).includes(signer);
  if (!requested.sendMessages || !isWaiting || signer.turn === "waiting") {
    throw new DomainError("nothing_to_send", "there is nothing that the signer was sent and needs");
  }
  // A signer who refused in line longer ago than the document's hours has left the line.
  if (signer.turn === "queued" && signer.holdOver === undefined) {
    throw new DomainError("signer_queued", "the signer waits in line");
  }
  checkAskedAnew(signer, now);
  return [{ type: "ResendRequested", data: { signerId, resendId, by }, personal: null }];
};
