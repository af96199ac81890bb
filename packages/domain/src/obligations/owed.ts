import type { Standing } from "../document/due.ts";
import { photosToCheck } from "../document/photo-progress.ts";
import { documentKinds } from "./document-kinds.ts";
import { documentKindNames, type Obligation, type ObligationsRecord, signerKindNames } from "./record.ts";
import { signerKinds } from "./signer-kinds.ts";

/** What is owed now: a kind, and the signer whom it is about, or null. */
export type Owed = Pick<Obligation, "signerId"> & {
  kind: (typeof documentKindNames)[number] | (typeof signerKindNames)[number];
};

/** How a document stands, by its record of obligations. */
export const recordedStanding = (record: ObligationsRecord): Standing => ({
  ...record,
  signers: record.signers.map((signer) => ({
    ...signer,
    uncheckedPhotos: photosToCheck(signer.photos) !== null,
    holdOver: null,
  })),
});

/**
 * All that is owed by what is known of a document, webhooks apart. Derived anew from each event on, so that it does not
 * matter in which order a document's own events and those of the phones' lines come: what is owed is open, what is not
 * is closed.
 */
export const owedBy = (record: ObligationsRecord): Owed[] => {
  const known = { record, standing: recordedStanding(record) };
  const ofDocument = documentKindNames.filter((kind) => documentKinds[kind].isOwed(known));
  const owed: Owed[] = ofDocument.map((kind) => ({ kind, signerId: null }));
  for (const [index, signer] of known.standing.signers.entries()) {
    const places = record.signers[index] ?? { line: "off", lines: null };
    for (const kind of signerKindNames)
      if (signerKinds[kind].isOwed(known, signer, places)) owed.push({ kind, signerId: signer.signerId });
  }
  return owed;
};
