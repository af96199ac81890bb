import { WebhookType } from "@rubrica/events";
import { choice, type Field, flag, id, int, type Table, text, time } from "./field.ts";
import { funnelPipeline, funnelSelect } from "./funnel-view.ts";

const D = "019aa5c0-0000-7000-8000-0000000000d1";
const A = "019aa5c0-0000-7000-8000-0000000000a1";
const AT = "2026-11-21T15:04:05.000Z";
const MAYBE = { nullable: true };
const MS = { nullable: true, unit: "ms" };

const documentId = id("documentId", "The document: its `id_seguimiento`", D);
const accountId = id("accountId", "The account that asked for it", A);
const ofRequest: readonly Field[] = [
  documentId,
  accountId,
  int("campaignId", "The campaign. Campaigns are numbered by account", 7, MAYBE),
  choice("channel", "The request that made it", ["v2", "legacy", "bulk"]),
  time("requestedAt", "When it was asked for", AT),
];
const media = ["wpp", "sms", "email"];
const checks = ["none", "pending", "approved", "rejected"];

export const documentStates = [
  "requested",
  "waiting",
  "in_progress",
  "completed",
  "sealed",
  "rejected",
  "withdrawn",
  "failed",
] as const;

const signerStates = [
  "queued",
  "asked",
  "reached",
  "continued",
  "opened",
  "identified",
  "signed",
  "rejected",
  "unreachable",
] as const;

const documents: Table = {
  name: "documents",
  about: "A row for each document.",
  one: true,
  fields: [
    ...ofRequest,
    id("bulkCallId", "The bulk call whose row it is", "019aa5c0-0000-7000-8000-0000000000b1", MAYBE),
    choice("state", "Where it stands: see the table of states", documentStates),
    choice("endedBecause", "How it ended", ["signed", "rejected", "canceled", "expired", "erased", "failed"], MAYBE),
    time("reachedAt", "When the first message reached a signer", AT, MAYBE),
    time("firstOpenedAt", "When the first signer opened the page", AT, MAYBE),
    time("firstSignedAt", "When the first signer signed", AT, MAYBE),
    time("completedAt", "When the last signer signed", AT, MAYBE),
    time("sealedAt", "When the sealed PDF was there", AT, MAYBE),
    time("endedAt", "When it ended, however: an expired one when its time was over", AT, MAYBE),
    int("pages", "Pages of the PDF as it was to be signed; null until a bulk call's row is prepared", 2, {
      nullable: true,
      unit: "pages",
    }),
    int("bytes", "Size of that PDF", 102_400, { nullable: true, unit: "bytes" }),
    int("signers", "How many are to sign", 2, { unit: "signers" }),
    int("signed", "How many have signed", 1, { unit: "signers" }),
    int("msToReach", "From the request until `reachedAt`", 4_200, MS),
    int("msToOpen", "From the request until `firstOpenedAt`", 61_000, MS),
    int("msToComplete", "From the request until `completedAt`", 90_500, MS),
    flag("identityRequired", "Whether signers' photos are validated", true),
    flag("erased", "Whether its people were erased", false),
  ],
};

const signers: Table = {
  name: "signers",
  about: "A row for each signer of each document.",
  index: ["accountId", "requestedAt"],
  fields: [
    ...ofRequest,
    int("order", "Place in the signing order, from 0", 0),
    choice("state", "Where they stand: see the table of states", signerStates),
    int(
      "furthest",
      "The last step that came, be it by itself: 0 requested, 1 reached, 2 continued, 3 opened, 4 identified, 5 signed",
      3,
    ),
    choice("medium", "By what the last message that asks was taken", media, MAYBE),
    text("country", "ISO 3166-1 alpha-2, by the phone's calling code; null where that does not tell", "UY", {
      nullable: true,
      erasure: "null",
    }),
    flag("identityRequired", "Whether their photos are validated", true),
    time("queuedAt", "When they were last put in line, behind another document on their phone", AT, MAYBE),
    time("turnAt", "When their turn last came", AT, MAYBE),
    time("askedAt", "When a provider first took a message that asks", AT, MAYBE),
    time("reachedAt", "When such a message first reached their phone", AT, MAYBE),
    time("continuedAt", "When they first chose to continue", AT, MAYBE),
    time("refusedAt", "When they last chose not to, which ends nothing", AT, MAYBE),
    time("linkSentAt", "When the link was first sent", AT, MAYBE),
    time("openedAt", "When they first opened the page", AT, MAYBE),
    time("identifiedAt", "When all their photos were approved; null again while any is to be taken anew", AT, MAYBE),
    time("signedAt", "When they signed", AT, MAYBE),
    time("rejectedAt", "When they rejected the document", AT, MAYBE),
    time("withdrawnAt", "When the document was taken back before they signed", AT, MAYBE),
    time(
      "unreachableAt",
      "When the last attempt to reach them failed; null again when they are sent it anew",
      AT,
      MAYBE,
    ),
    int("msToSign", "From the request until they signed", 90_500, MS),
    int("msToSignFromTurn", "From their own turn until they signed", 88_000, MS),
    int("selfieAttempts", "Selfies uploaded", 1, { unit: "uploads" }),
    choice("selfieOutcome", "What became of the last one", checks, MAYBE),
    int("idFrontAttempts", "Photos of the identity document's front", 1, { unit: "uploads" }),
    choice("idFrontOutcome", "What became of the last one", checks, MAYBE),
    int("idBackAttempts", "Photos of its back", 1, { unit: "uploads" }),
    choice("idBackOutcome", "What became of the last one", checks, MAYBE),
    int("mrzAttempts", "Times that the machine-readable zone was compared", 1, { unit: "checks" }),
    choice("mrzOutcome", "What the last time said", ["approved", "rejected"], MAYBE),
    int("providerFailures", "Times that the identity provider could not be asked", 0, { unit: "failures" }),
  ],
};

const messages: Table = {
  name: "messages",
  about: "A row for each message to a signer and each medium by which it was tried.",
  fields: [
    documentId,
    accountId,
    int("order", "The signer's place in the signing order", 0),
    choice("kind", "What it says", ["template", "link", "copy", "cancellation", "refusal", "reminder"]),
    choice("medium", "By what it was tried", media),
    text("provider", "Who was asked to deliver it", "WhatsApp", MAYBE),
    choice("outcome", "The last that is known: `failed` is tried again, `undeliverable` by this medium no more", [
      "attempted",
      "sent",
      "delivered",
      "read",
      "failed",
      "undeliverable",
    ]),
    text("errorCode", "Why the last attempt failed, by the service's own name for it", "unreachable", MAYBE),
    int("attempts", "Attempts by this medium", 1, { unit: "attempts" }),
    time("attemptedAt", "The first attempt", AT),
    time("sentAt", "When the provider first took it", AT, MAYBE),
    time("deliveredAt", "When it first reached the phone, as far as is told", AT, MAYBE),
    time("readAt", "When it was first read, as far as is told", AT, MAYBE),
    time("failedAt", "When the last attempt failed", AT, MAYBE),
  ],
};

const webhooks: Table = {
  name: "webhooks",
  about: "A row for each webhook.",
  fields: [
    documentId,
    accountId,
    choice("kind", "What it tells", WebhookType.options),
    id("receiver", "The host that is told, by an id that does not name it", "019aa5c0-0000-5000-8000-0000000000f1", {
      nullable: true,
      erasure: "null",
    }),
    choice("outcome", "Not tried or sent anew, tried and to be tried again, taken, tried for the last time", [
      "pending",
      "failing",
      "delivered",
      "abandoned",
    ]),
    int("attempts", "Attempts", 1, { unit: "attempts" }),
    int("status", "HTTP status of the last answer", 200, MAYBE),
    time("createdAt", "When what it tells happened", AT),
    time("firstAttemptAt", "When it was first sent", AT, MAYBE),
    time("takenAt", "When it was first taken", AT, MAYBE),
    int("msFirstAttempt", "How long the first attempt took", 80, MS),
    int("msToTake", "From `createdAt` until `takenAt`", 420, MS),
  ],
};

const logEntries: Table = {
  name: "log_entries",
  about: "A row for each entry of each document's event log.",
  fields: [
    documentId,
    accountId,
    int("number", "Place in the document's log, from 0", 0),
    text("event", "What happened, by the name that the event log gives it", "document_signed"),
    int("order", "The signer's place in the signing order", 0),
    time("at", "When", AT),
    int("attempt", "Which upload or check it is about", 1, MAYBE),
    choice("result", "Of a check", ["approved", "rejected"], MAYBE),
    choice("photo", "Of a check of a photo", ["selfie", "idFront", "idBack"], MAYBE),
  ],
};

const step = (name: string, about: string, options = {}): Field => int(name, `1 or 0: ${about}`, 1, options);

const funnel: Table = {
  name: "funnel",
  about:
    "A row for each signer, with 1 for each step that came, be it by itself: sums of them are the funnel. What can't be known is null.",
  fields: [
    documentId,
    accountId,
    int("campaignId", "The campaign", 7, MAYBE),
    choice("channel", "The request that made the document", ["v2", "legacy", "bulk"]),
    int("order", "The signer's place in the signing order", 0),
    choice("medium", "By what the last message that asks was taken", media, MAYBE),
    text("country", "By the phone's calling code; null where that does not tell", "UY", {
      nullable: true,
      erasure: "null",
    }),
    text("day", "The day of the request in UTC", "2026-11-21"),
    step("requested", "always 1"),
    step("reached", "a message reached their phone; null by e-mail", MAYBE),
    step("continued", "they chose to continue; null but by the messaging app", MAYBE),
    step("opened", "they opened the page"),
    step("identified", "their photos were approved; null where none are validated", MAYBE),
    step("signed", "they signed"),
    step("rejected", "they rejected the document"),
    step("withdrawn", "the document was taken back before they signed"),
    step("unreachable", "no message reached them"),
    int("msToSign", "From the request until they signed", 90_500, MS),
    int("msToSignFromTurn", "From their own turn until they signed", 88_000, MS),
  ],
  select: funnelSelect,
};

/** The tables that follow from the documents' events. */
export const analyticTables = {
  documents,
  signers,
  messages,
  webhooks,
  logEntries,
  funnel: { ...funnel, pipeline: funnelPipeline(funnel.fields) },
} as const;
