import type { Medium, Provider } from "@rubrica/events";
import type { Recorded } from "./signer.ts";

type Attempt = Extract<Recorded, { type: "MessageAttempted" }>["data"];

/**
 * What attempts tell of the messages that later events are about: a notice is about the copy that the provider took, even
 * where the message was tried again since, by another medium; else about the last attempt.
 */
const byAttempts = <Told>(
  events: readonly Recorded[],
  told: (event: Recorded) => Told | undefined,
  ofAttempt: (attempt: Attempt) => Told,
): ReadonlyMap<Recorded, Told> => {
  const byMessage = new Map<string, Told>();
  const byCopy = new Map<string, Told>();
  const found = new Map<Recorded, Told>();
  for (const event of events) {
    const { data } = event;
    const ofCopy = "providerMessageId" in data ? byCopy.get(data.providerMessageId) : undefined;
    const ofMessage = "messageId" in data ? byMessage.get(data.messageId) : undefined;
    // Null tells something: that it was not recorded.
    const known = [told(event), ofCopy, ofMessage].find((one) => one !== undefined);
    if (known !== undefined) found.set(event, known);
    if (event.type === "MessageAttempted") byMessage.set(event.data.messageId, ofAttempt(event.data));
    else if (ofCopy === undefined && ofMessage !== undefined && "providerMessageId" in data)
      byCopy.set(data.providerMessageId, ofMessage);
  }
  return found;
};

/**
 * Whose work or word events are in which a provider had a part; null, or nothing, where that was not recorded. Notices of a
 * message are of whoever was to send it.
 */
export const providersOf = (events: readonly Recorded[]): ReadonlyMap<Recorded, Provider | null> =>
  byAttempts<Provider | null>(
    events,
    ({ data }) => ("provider" in data ? data.provider : undefined),
    ({ provider }) => provider,
  );

/** By what each event's message went, or was to go. */
export const mediaOf = (events: readonly Recorded[]): ReadonlyMap<Recorded, Medium> =>
  byAttempts<Medium>(
    events,
    ({ data }) => ("medium" in data ? data.medium : undefined),
    ({ medium }) => medium,
  );
