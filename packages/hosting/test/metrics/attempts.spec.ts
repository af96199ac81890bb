import { configFrom } from "@rubrica/config";
import { catalogue, type DomainEvent } from "@rubrica/events";
import { expect, test } from "vitest";
import { attemptsIn } from "../../src/metrics/attempts.ts";

const config = configFrom({});
const examples = new Map(
  Object.values(catalogue).flatMap((definitions) =>
    definitions.map(({ type, example }) => [type, { type, ...example } as DomainEvent] as const),
  ),
);

/** The event as its catalogue has it, with some of its data. */
const event = (type: string, data: object = {}): DomainEvent => {
  const example = examples.get(type);
  if (!example) throw new Error(`there is no event ${type}`);
  return { ...example, data: { ...example.data, ...data } } as DomainEvent;
};

test.each([
  ["MessageSent", {}, "message", "simulator", "succeeded"],
  ["SignatureLinkSent", {}, "message", "simulator", "succeeded"],
  ["CancellationSent", { medium: "sms" }, "message", "sms", "succeeded"],
  ["RefusalExplained", { medium: "wpp" }, "message", "simulator", "succeeded"],
  ["ReminderSent", { medium: "email" }, "message", "email", "succeeded"],
  ["SignedCopySent", { medium: "email" }, "message", "email", "succeeded"],
  ["MessageFailed", { nextAttemptAt: "2026-01-01T00:00:00.000Z" }, "message", "simulator", "failed"],
  ["MessageFailed", { nextAttemptAt: null }, "message", "simulator", "abandoned"],
  ["MessageSent", { medium: "sms" }, "message", "sms", "succeeded"],
  ["MessageFailed", { medium: "email", nextAttemptAt: null }, "message", "email", "abandoned"],
  ["WebhookDelivered", {}, "webhook", "receiver", "succeeded"],
  ["WebhookAttemptFailed", {}, "webhook", "receiver", "failed"],
  ["WebhookAbandoned", {}, "webhook", "receiver", "abandoned"],
  ["IdentityProviderFailed", { nextAttemptAt: "2026-01-01T00:00:00.000Z" }, "identity", "simulator", "failed"],
  ["IdentityProviderFailed", { nextAttemptAt: null }, "identity", "simulator", "abandoned"],
  ["EvidenceFetched", {}, "evidence", "simulator", "succeeded"],
  ["EvidenceFetchFailed", {}, "evidence", "simulator", "failed"],
  ["DocumentSealed", {}, "seal", "none", "succeeded"],
  ["SealingFailed", {}, "seal", "none", "failed"],
  ["SealAugmented", {}, "augment", "none", "succeeded"],
  ["SealAugmentationFailed", { nextAttemptAt: "2026-01-01T00:00:00.000Z" }, "augment", "none", "failed"],
  ["SealAugmentationFailed", { nextAttemptAt: null }, "augment", "none", "abandoned"],
  ["DocumentPrepared", {}, "prepare", "office program", "succeeded"],
  ["PreparationFailed", {}, "prepare", "office program", "abandoned"],
])("%s, with %o, is the end of an attempt", (type, data, kind, provider, outcome) => {
  expect(attemptsIn([event(type, data)], config)).toEqual([{ kind, provider, outcome }]);
});

test("what an identity check found out is one attempt, however many events tell of it", () => {
  const found = [event("SelfieValidated"), event("IdDocumentValidated"), event("MrzValidated")];
  expect(attemptsIn(found, config)).toEqual([{ kind: "identity", provider: "simulator", outcome: "succeeded" }]);
});

test("providers are told by what they are, never by their address", () => {
  const named = configFrom({
    IDENTITY_PROVIDER_URL: "https://identity.example",
    IDENTITY_PROVIDER_KEY: "k",
    TSA_URL: "https://tsa.example",
  });
  const found = attemptsIn([event("MrzValidated"), event("DocumentSealed")], named);
  expect(found.map(({ provider }) => provider)).toEqual(["identity provider", "timestamp authority"]);
});

test("other events are no attempts", () => {
  expect(attemptsIn([event("DocumentRequested"), event("MessageAttempted")], config)).toEqual([]);
});
