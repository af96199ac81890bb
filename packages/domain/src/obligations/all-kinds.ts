import { bulkKinds } from "./bulk.ts";
import { documentKinds } from "./document-kinds.ts";
import { headsKinds } from "./heads.ts";
import { type Limits, namesOf } from "./kind.ts";
import { noticesKinds } from "./notices.ts";
import { signerKinds } from "./signer-kinds.ts";
import { webhookKinds } from "./webhooks.ts";

const USUAL: Limits = { inAll: 128, anAccount: 32 };

const allKinds = {
  ...signerKinds,
  ...documentKinds,
  ...webhookKinds,
  ...bulkKinds,
  ...noticesKinds,
  ...headsKinds,
};

/** Something that has to be done, by kind. */
export type ObligationKind = keyof typeof allKinds;

/** What may have to be done. */
export const obligationKinds: readonly ObligationKind[] = namesOf(allKinds);

/** By whom it is owed. */
export const obligationKindsOf = {
  document: namesOf({ ...signerKinds, ...documentKinds, ...webhookKinds }),
  bulk: namesOf(bulkKinds),
  notices: namesOf(noticesKinds),
  heads: namesOf(headsKinds),
};

/** How many of a kind may be under way at a time. */
export const limitsOf = (name: ObligationKind): Limits => {
  const kind = allKinds[name];
  return "limits" in kind ? kind.limits : USUAL;
};

/** Where an obligation's message goes. */
export const obligationSubject = (kind: ObligationKind): string => `obligations.${kind}`;
