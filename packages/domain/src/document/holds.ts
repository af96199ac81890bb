import { holdOf } from "../standing/due.ts";
import type { Signer, UnfinishedDocument } from "./state.ts";

const HOUR_MS = 3_600_000;

/** Why the signer should give their phone's turn up by then; undefined while they may keep it. */
const holdOverAt = (document: UnfinishedDocument, signer: Signer, now: number): Signer["holdOver"] => {
  const { refusalHours, silenceHours } = document;
  const hold = holdOf(signer);
  const hours = hold === "refusal" ? refusalHours : silenceHours;
  if (hold === null || hours === null || signer.heldSince === null) return undefined;
  if (now < Date.parse(signer.heldSince) + hours * HOUR_MS) return undefined;
  return hold === "refusal" ? "refused" : "unanswered";
};

/** The document with whose hold of their phone is over at a time (milliseconds since the UNIX epoch). */
export const withHoldsOver = <Open extends UnfinishedDocument>(document: Open, now: number): Open => {
  const signers = document.signers.map((signer) => {
    const holdOver = holdOverAt(document, signer, now);
    return holdOver === undefined ? signer : { ...signer, holdOver };
  });
  return signers.some(({ holdOver }) => holdOver !== undefined) ? { ...document, signers } : document;
};
