import { holdOf } from "./due.ts";
import type { OpenDocument, Signer } from "./state.ts";

const HOUR_MS = 3_600_000;

/** Why the signer should give their phone's turn up by then, or null while they may keep it. */
const holdOverAt = (document: OpenDocument, signer: Signer, now: number): Signer["holdOver"] => {
  const { refusalHours, silenceHours } = document;
  const isOver = (since: string | null, hours: number): boolean =>
    since !== null && now >= Date.parse(since) + hours * HOUR_MS;
  const hold = holdOf({ refused: signer.refused, wantsLink: signer.answers.continue, ...waiting(signer) });
  if (hold === "refusal") return isOver(signer.refusedAt, refusalHours) ? "refused" : null;
  if (hold !== "silence" || silenceHours === null) return null;
  return isOver(signer.deliveredAt, silenceHours) ? "unanswered" : null;
};

const waiting = ({ deliveredAt, pageOpenings }: Signer) => ({
  delivered: deliveredAt !== null,
  opened: pageOpenings > 0,
});

/** The document with whose hold of their phone is over at a time (milliseconds since the UNIX epoch). */
export const withHoldsOver = <Open extends OpenDocument>(document: Open, now: number): Open => {
  const signers = document.signers.map((signer) => {
    const holdOver = holdOverAt(document, signer, now);
    return holdOver === null ? signer : { ...signer, holdOver };
  });
  return signers.some(({ holdOver }) => holdOver !== null) ? { ...document, signers } : document;
};
