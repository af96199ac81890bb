import type { Secrets } from "./secrets.ts";

/**
 * What a signer's `id_custom` is looked up by, where it may not stand in the clear: integrators make such ids of phones
 * and ID numbers. 64 hex digits, the same whatever SECRET is changed to as long as the oldest one is kept.
 */
export const customIdHmac = (secrets: Secrets, accountId: string, idCustom: string): string =>
  secrets.lastingId("custom-id", [accountId, idCustom]);
