import { continueBulkLimits } from "./bulk.ts";
import { documentKinds } from "./document-kinds.ts";
import type { Kind, Limits } from "./kind.ts";
import type { ObligationKind } from "./names.ts";
import { noticesLimits } from "./notices.ts";
import { signerKinds } from "./signer-kinds.ts";
import { webhookLimits } from "./webhooks.ts";

const USUAL: Limits = { inAll: 128, anAccount: 32 };

const kinds: Partial<Record<ObligationKind, Kind<never> | { limits: Limits }>> = {
  ...documentKinds,
  ...signerKinds,
  webhook: { limits: webhookLimits },
  "continue-bulk": { limits: continueBulkLimits },
  "handle-notices": { limits: noticesLimits },
};

/** How many of a kind may be under way at a time. */
export const limitsOf = (kind: ObligationKind): Limits => kinds[kind]?.limits ?? USUAL;
