import type { Secrets } from "./secrets.ts";

/**
 * A provider's message id as events may hold it: a MAC, since what providers give may hold the recipient's phone (the
 * ids of WhatsApp do). It stays what it was when SECRET is changed.
 */
export const providerMessageId = (secrets: Pick<Secrets, "lastingId">, provider: string, id: string): string =>
  `${provider}.${secrets.lastingId("provider-message", [provider, id])}`;
