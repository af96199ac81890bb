import type { Secrets } from "./secrets.ts";

/**
 * Ids of what may not stand in the clear, each a MAC: the same whatever SECRET is changed to, as long as the oldest one
 * is kept.
 */

/**
 * What the line of an account's phone is looked up by, beside the keys; until December 2026 it was the line's id. `phone`
 * is the number as its line is known (digits, normalized by the caller). 64 hex digits.
 */
export const phoneLookup = (secrets: Secrets, accountId: string, phone: string): string =>
  secrets.lastingId("phone-line", [accountId, phone]);

/** What a signer's `id_custom` is looked up by: integrators make such ids of phones and ID numbers. 64 hex digits. */
export const customIdHmac = (secrets: Secrets, accountId: string, idCustom: string): string =>
  secrets.lastingId("custom-id", [accountId, idCustom]);

/** A provider's message id as events may hold it: what providers give may hold the recipient's phone (WhatsApp's do). */
export const providerMessageId = (secrets: Pick<Secrets, "lastingId">, provider: string, id: string): string =>
  `${provider}.${secrets.lastingId("provider-message", [provider, id])}`;
