import { z } from "zod";
import { defineEvent, type EventOf } from "./define.ts";
import { Plan, Reminders, Sha256, sample, Uuid, WebhookTypes } from "./shared.ts";

/** An integrator's account was opened. */
export const AccountOpened = defineEvent({
  type: "AccountOpened",
  data: z.strictObject({ accountId: Uuid, name: z.string().min(1).max(200), plan: Plan }),
  personal: null,
  example: { data: { accountId: sample.accountId, name: "ACME", plan: "pro" }, personal: null },
});

/** A key was made; only its SHA-256 is kept. `name` tells people what it is for; null when it has none. */
export const ApiKeyIssued = defineEvent({
  type: "ApiKeyIssued",
  version: 2,
  upcasts: { 1: ({ data, personal }) => ({ data: { ...data, name: null }, personal }) },
  data: z.strictObject({ keyId: Uuid, keySha256: Sha256, name: z.string().min(1).max(100).nullable() }),
  personal: null,
  example: { data: { keyId: sample.keyId, keySha256: sample.sha256, name: "billing" }, personal: null },
});

const KeyNamed = z.strictObject({ keyId: Uuid });
const keyNamedExample = { data: { keyId: sample.keyId }, personal: null };

/** The key is unknown from now on. */
export const ApiKeyRevoked = defineEvent({
  type: "ApiKeyRevoked",
  data: KeyNamed,
  personal: null,
  example: keyNamedExample,
});

/** The key is refused until it is unblocked. */
export const ApiKeyBlocked = defineEvent({
  type: "ApiKeyBlocked",
  data: KeyNamed,
  personal: null,
  example: keyNamedExample,
});

export const ApiKeyUnblocked = defineEvent({
  type: "ApiKeyUnblocked",
  data: KeyNamed,
  personal: null,
  example: keyNamedExample,
});

/** The name that signers see as the requester. */
export const BusinessNameChanged = defineEvent({
  type: "BusinessNameChanged",
  data: z.strictObject({ businessName: z.string().min(1).max(200) }),
  personal: null,
  example: { data: { businessName: "ACME Homes" }, personal: null },
});

export const PlanChanged = defineEvent({
  type: "PlanChanged",
  data: z.strictObject({ plan: Plan }),
  personal: null,
  example: { data: { plan: "pro" }, personal: null },
});

const amount = { amount: z.int().positive(), balance: z.int().nonnegative() };

/** `balance` is what the account has after the event; `grantId`, of the operator's command, is null where none was kept. */
export const CreditsGranted = defineEvent({
  type: "CreditsGranted",
  version: 2,
  data: z.strictObject({ ...amount, grantId: Uuid.nullable() }),
  personal: null,
  upcasts: { 1: ({ data, personal }) => ({ data: { ...data, grantId: null }, personal }) },
  example: { data: { amount: 100, balance: 100, grantId: sample.grantId }, personal: null },
});

/** A bulk call's rows were paid for, one credit each. */
export const CreditsSpent = defineEvent({
  type: "CreditsSpent",
  data: z.strictObject({ ...amount, bulkId: Uuid }),
  personal: null,
  example: { data: { amount: 10, balance: 90, bulkId: sample.bulkId }, personal: null },
});

/** A bulk call's document that could not be prepared was paid back. */
export const CreditsRefunded = defineEvent({
  type: "CreditsRefunded",
  data: z.strictObject({ ...amount, documentId: Uuid }),
  personal: null,
  example: { data: { amount: 1, balance: 91, documentId: sample.documentId }, personal: null },
});

/** The secret that signs the account's webhooks; kept like a person's data, encrypted. */
export const WebhookSecretIssued = defineEvent({
  type: "WebhookSecretIssued",
  data: z.strictObject({}),
  personal: z.strictObject({ secret: z.string() }),
  example: { data: {}, personal: { secret: "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=" } },
});

/** What the webhooks of documents that are asked for from now on are told. */
export const WebhookEventsChosen = defineEvent({
  type: "WebhookEventsChosen",
  data: z.strictObject({ webhookEvents: WebhookTypes }),
  personal: null,
  example: { data: { webhookEvents: ["alert", "rejection", "canceled", "expired"] }, personal: null },
});

/** One callback of each type is sent to an address, as a trial. */
export const WebhookTestRequested = defineEvent({
  type: "WebhookTestRequested",
  data: z.strictObject({ testId: Uuid }),
  personal: null,
  example: { data: { testId: sample.grantId }, personal: null },
});

/** Accounts of one team read each other's documents. */
export const JoinedTeam = defineEvent({
  type: "JoinedTeam",
  data: z.strictObject({ teamId: Uuid }),
  personal: null,
  example: { data: { teamId: sample.teamId }, personal: null },
});

/** A template for requests: what it sets wins over the defaults, the request's own fields win over it. */
export const CampaignCreated = defineEvent({
  type: "CampaignCreated",
  version: 3,
  upcasts: {
    1: ({ data, personal }) => ({ data: { ...data, retentionDays: null }, personal }),
    2: ({ data, personal }) => ({
      data: { ...data, expiresInDays: null, refusalHours: null, silenceHours: null, reminders: null },
      personal,
    }),
  },
  data: z.strictObject({
    campaignId: z.int().positive(),
    name: z.string().min(1).max(200),
    messageText: z.string().max(1000).nullable(),
    requestPhotos: z.boolean().nullable(),
    validatePhotos: z.boolean().nullable(),
    /** Days after its end at which a document is erased. */
    retentionDays: z.int().positive().nullable(),
    /** Days after its request at which a document's time ends. */
    expiresInDays: z.int().positive().nullable(),
    /** Hours after which a signer who chose not to continue, or does not answer, gives their phone's turn up. */
    refusalHours: z.int().positive().nullable(),
    silenceHours: z.int().positive().nullable(),
    reminders: Reminders.nullable(),
  }),
  personal: null,
  example: {
    data: {
      campaignId: 1,
      name: "Leases",
      messageText: null,
      requestPhotos: true,
      validatePhotos: null,
      retentionDays: null,
      expiresInDays: null,
      refusalHours: null,
      silenceHours: null,
      reminders: null,
    },
    personal: null,
  },
});

export const accountEvents = [
  AccountOpened,
  ApiKeyIssued,
  ApiKeyRevoked,
  ApiKeyBlocked,
  ApiKeyUnblocked,
  BusinessNameChanged,
  PlanChanged,
  CreditsGranted,
  CreditsSpent,
  CreditsRefunded,
  WebhookSecretIssued,
  WebhookEventsChosen,
  WebhookTestRequested,
  JoinedTeam,
  CampaignCreated,
] as const;
export type AccountEvent = EventOf<(typeof accountEvents)[number]>;
