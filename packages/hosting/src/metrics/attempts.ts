import type { Config } from "@rubrica/config";
import { type DomainEvent, isMessageTaken, type Medium } from "@rubrica/events";

/** An attempt to do what lies outside, as it ended. */
export type Attempt = Readonly<
  Record<"kind", "message" | "webhook" | "identity" | "evidence" | "seal" | "augment" | "prepare"> &
    Record<"provider", string> &
    Record<"outcome", "succeeded" | "failed" | "abandoned">
>;

/** `medium`: by what a message was sent. */
type Ended = Omit<Attempt, "provider"> & { medium?: Medium };

const ended = (kind: Attempt["kind"], nextAttemptAt: string | null): Ended => ({
  kind,
  outcome: nextAttemptAt === null ? "abandoned" : "failed",
});

/** How an event ends an attempt; undefined if it ends none. */
const endOf = (event: DomainEvent): Ended | undefined => {
  if (isMessageTaken(event)) return { kind: "message", outcome: "succeeded", medium: event.data.medium };
  switch (event.type) {
    case "MessageFailed":
      return { ...ended("message", event.data.nextAttemptAt), medium: event.data.medium };
    case "WebhookDelivered":
      return { kind: "webhook", outcome: "succeeded" };
    case "WebhookAttemptFailed":
      return { kind: "webhook", outcome: "failed" };
    case "WebhookAbandoned":
      return { kind: "webhook", outcome: "abandoned" };
    case "SelfieValidated":
    case "IdDocumentValidated":
    case "MrzValidated":
      return { kind: "identity", outcome: "succeeded" };
    case "IdentityProviderFailed":
      return ended("identity", event.data.nextAttemptAt);
    case "EvidenceFetched":
      return { kind: "evidence", outcome: "succeeded" };
    case "EvidenceFetchFailed":
      return { kind: "evidence", outcome: "failed" };
    case "DocumentSealed":
      return { kind: "seal", outcome: "succeeded" };
    case "SealingFailed":
      return { kind: "seal", outcome: "failed" };
    case "SealAugmented":
      return { kind: "augment", outcome: "succeeded" };
    case "SealAugmentationFailed":
      return ended("augment", event.data.nextAttemptAt);
    case "DocumentPrepared":
      return { kind: "prepare", outcome: "succeeded" };
    case "PreparationFailed":
      return { kind: "prepare", outcome: "abandoned" };
    default:
      return undefined;
  }
};

/** Who is asked, by the kind of what is asked. */
const providerOf = (
  { kind, medium }: Ended,
  { messaging, identityProvider, tsaUrls }: Pick<Config, "messaging" | "identityProvider" | "tsaUrls">,
): string => {
  switch (kind) {
    case "message":
      // The messaging app is whichever engine stands for it.
      return medium === "sms" || medium === "email"
        ? medium
        : messaging.includes("whatsapp")
          ? "whatsapp"
          : "simulator";
    case "webhook":
      return "receiver";
    case "identity":
    case "evidence":
      return identityProvider ? "identity provider" : "simulator";
    case "seal":
    case "augment":
      return tsaUrls.length === 0 ? "none" : "timestamp authority";
    case "prepare":
      return "office program";
    default:
      return kind satisfies never;
  }
};

/**
 * The attempts that came to an end with what was appended together: what an attempt found out is several events, all of
 * one kind.
 */
export const attemptsIn = (events: readonly DomainEvent[], config: Parameters<typeof providerOf>[1]): Attempt[] => {
  const ends = new Map<string, Ended>();
  for (const event of events) {
    const end = endOf(event);
    if (end) ends.set(`${end.kind} ${end.outcome} ${end.medium}`, end);
  }
  return [...ends.values()].map((end) => {
    const { kind, outcome } = end;
    return { kind, provider: providerOf(end, config), outcome };
  });
};
