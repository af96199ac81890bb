import { documentKinds } from "./document-kinds.ts";
import { documentKindNames, signerKindNames } from "./names.ts";
import type { Obligation, ObligationsRecord } from "./record.ts";
import { signerKinds } from "./signer-kinds.ts";

/** What is owed now: a kind, and the signer whom it is about, or null. */
export type Owed = Pick<Obligation, "signerId"> & {
  kind: (typeof documentKindNames)[number] | (typeof signerKindNames)[number];
};

/**
 * All that is owed by what is known of a document, webhooks apart. Derived anew from each event on, so that it does not
 * matter in which order a document's own events and those of the phones' lines come: what is owed is open, what is not
 * is closed.
 */
export const owedBy = (record: ObligationsRecord): Owed[] => [
  ...documentKindNames.filter((kind) => documentKinds[kind].isOwed(record)).map((kind) => ({ kind, signerId: null })),
  ...record.signers.flatMap((signer) =>
    signerKindNames
      .filter((kind) => signerKinds[kind].isOwed(record, signer))
      .map((kind) => ({ kind, signerId: signer.signerId })),
  ),
];
