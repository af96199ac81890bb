import type { Provider } from "@rubrica/events";
import type { Recorded } from "./signer.ts";

/**
 * Whose work or word events are in which a provider had a part; null where that was not recorded. Notices of a message are
 * of whoever was to send it.
 */
export const providersOf = (events: readonly Recorded[]): ReadonlyMap<Recorded, Provider | null> => {
  const byMessage = new Map<string, Provider | null>();
  const byCopy = new Map<string, Provider | null>();
  const found = new Map<Recorded, Provider | null>();
  for (const event of events) {
    const { data } = event;
    if ("provider" in data) found.set(event, data.provider);
    else if ("messageId" in data) found.set(event, byMessage.get(data.messageId) ?? null);
    else if ("providerMessageId" in data) found.set(event, byCopy.get(data.providerMessageId) ?? null);
    if (event.type === "MessageAttempted") byMessage.set(event.data.messageId, event.data.provider);
    else if ("messageId" in data && "providerMessageId" in data) {
      byCopy.set(data.providerMessageId, byMessage.get(data.messageId) ?? null);
    }
  }
  return found;
};
