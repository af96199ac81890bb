import type { Secrets } from "./secrets.ts";

/**
 * The id of an account's phone line, for stream names and lookups, where no phone may stand in the clear.
 * `phone` is the number as its line is known (digits, normalized by the caller). 64 hex digits, the same whatever
 * SECRET is changed to as long as the oldest one is kept.
 */
export const phoneLineId = (secrets: Secrets, accountId: string, phone: string): string =>
  secrets.lastingId("phone-line", [accountId, phone]);
