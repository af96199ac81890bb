import type { JournalEvent } from "@rubrica/journal";

/** That a signer was corrected: who they are since is in the event of that revision alone, encrypted. */
export type CorrectedSigner = { signerId: string; revision: string };

/** The corrections of a document's signers after one more, which may be told twice. */
export const withCorrection = (
  corrections: readonly CorrectedSigner[],
  { data, revision }: Extract<JournalEvent, { type: "SignerCorrected" }>,
): CorrectedSigner[] => {
  const correction = { signerId: data.signerId, revision: revision.toString() };
  const isKnown = corrections.some((known) => known.revision === correction.revision);
  return isKnown ? [...corrections] : [...corrections, correction];
};
