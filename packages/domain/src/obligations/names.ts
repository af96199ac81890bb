import { documentKinds } from "./document-kinds.ts";
import { signerKinds } from "./signer-kinds.ts";

/** The names of kinds, in the order in which they are declared: so open obligations are listed. */
const namesOf = <Kinds extends object>(kinds: Kinds) => Object.keys(kinds) as (keyof Kinds)[];

/** What a document owes about each of its signers, by kind. */
export const signerKindNames = namesOf(signerKinds);

/** What a document owes as a whole, by kind. */
export const documentKindNames = namesOf(documentKinds);

/** What documents owe, by kind. */
export const documentObligationKinds = [...signerKindNames, ...documentKindNames, "webhook"] as const;

/** What bulk calls owe, by kind. */
export const bulkObligationKinds = ["continue-bulk", "forget-rows"] as const;

/** What is owed for notices that were received, by kind. */
export const noticesObligationKinds = ["handle-notices"] as const;

/** What is owed of the log as a whole, by kind. */
export const headsObligationKinds = ["commit-heads"] as const;

/** What may have to be done. */
export const obligationKinds = [
  ...documentObligationKinds,
  ...bulkObligationKinds,
  ...noticesObligationKinds,
  ...headsObligationKinds,
] as const;

/** Something that has to be done, by kind. */
export type ObligationKind = (typeof obligationKinds)[number];

/** Where an obligation's message goes. */
export const obligationSubject = (kind: ObligationKind): string => `obligations.${kind}`;
