import { headText, type WebhookType } from "@rubrica/events";
import { z } from "zod";
import { webhookData, webhookExamples, webhookTypes } from "./payloads.ts";
import { HEAD_HEADER } from "./send.ts";
import { signatureHeaders } from "./signature.ts";

/** The examples' secret, for integrators to try their verification with. */
export const EXAMPLE_SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const EXAMPLE_AT_MS = Date.UTC(2026, 10, 21, 15, 4, 6);

const OF_EVERY = "Of every request.";
const CHOSEN = "Of accounts that chose it (`PUT /api/v2/webhooks/events`).";

const said: Readonly<Record<WebhookType, { summary: string; description: string }>> = {
  alert: {
    summary: "The document is complete",
    description: "Every signer signed, and the signed PDF can be downloaded. Of every request.",
  },
  report: { summary: "The report is there", description: "The legal report can be downloaded. Of every request." },
  msg: {
    summary: "A signer can't be reached",
    description: "No message reached the signer, for good. The signing link stays valid. Of every request.",
  },
  rejection: {
    summary: "A signer rejected the document",
    description: "Nobody can sign it any more. Of v2 requests only.",
  },
  canceled: {
    summary: "The document was canceled",
    description: `By whoever asked for it: nobody can sign it any more. ${OF_EVERY} ${CHOSEN}`,
  },
  expired: {
    summary: "The document's time is over",
    description: `Nobody can sign it any more. ${OF_EVERY} ${CHOSEN}`,
  },
  no_continue: {
    summary: "A signer chose not to continue",
    description: `They answered so to the message; their link stays valid, and they can change their mind. ${OF_EVERY} ${CHOSEN}`,
  },
  signer_signed: {
    summary: "A signer signed",
    description: `One for each signer; after the last one \`alert\` follows. ${OF_EVERY} ${CHOSEN}`,
  },
  page_opened: {
    summary: "A signer opened their link",
    description: `Each time before they sign, twenty times at most. ${OF_EVERY} ${CHOSEN}`,
  },
};

const SIGNED = [
  "Signed after [Standard Webhooks](https://www.standardwebhooks.com), by the account's secret: its libraries verify it.",
  "An answer other than 2xx within 15 s is repeated, under the same `webhook-id`, for three days: after 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h, and not before what `Retry-After` says; a 410 ends it.",
  "A document's callbacks come one after the other, in the order of what they tell.",
].join(" ");

const headerOf = (name: string, description: string, example: string) => ({
  name,
  in: "header" as const,
  required: name.startsWith("webhook-") && name !== "webhook-signature",
  description,
  schema: { type: "string" as const },
  example,
});

const headersOf = (type: WebhookType) => {
  const id = `019aa5c0-0000-7000-8000-0000000000e1:webhook:${type}`;
  const signed = { id, body: JSON.stringify(webhookExamples[type]), now: EXAMPLE_AT_MS };
  const headers = signatureHeaders([EXAMPLE_SECRET], signed);
  return [
    headerOf("webhook-id", "The callback's id, the same in each attempt: by it repeats are known", id),
    headerOf("webhook-timestamp", "When this attempt was made, in seconds", headers["webhook-timestamp"] ?? ""),
    headerOf(
      "webhook-signature",
      "`v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in Base64; for 24 h after the secret was replaced two of them, with a space between. " +
        `The example's secret is \`${EXAMPLE_SECRET}\`, its body the example without spaces between`,
      headers["webhook-signature"] ?? "",
    ),
    headerOf(
      HEAD_HEADER,
      "The event log's newest signed head (`GET /pki/heads`) when this callback was attempted first, as " +
        "`{size}:{root}`: whoever keeps it can show later that the log was cut or written anew",
      headText({ size: 1_370, root: "9f".repeat(32) }),
    ),
  ];
};

const bodyOf = (type: WebhookType) => {
  const payload = z.strictObject({ type: z.literal(type), data: webhookData[type] });
  const { $schema: _dialect, ...schema } = z.toJSONSchema(payload, { target: "draft-2020-12" });
  return { required: true, content: { "application/json": { schema, example: webhookExamples[type] } } };
};

/** `no_continue` as `NoContinue`. */
const operationName = (type: WebhookType): string =>
  type
    .split("_")
    .map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
    .join("");

const operationOf = (type: WebhookType) => ({
  post: {
    operationId: `on${operationName(type)}`,
    tags: ["webhooks"],
    summary: said[type].summary,
    description: `${said[type].description} ${SIGNED}`,
    parameters: headersOf(type),
    requestBody: bodyOf(type),
    responses: {
      "2XX": { description: "Taken; what the body says is not read" },
      "410": { description: "Wanted no more: this callback is not repeated" },
      default: { description: "Not taken: it is repeated" },
    },
  },
});

/** What receivers are sent, as OpenAPI 3.1's `webhooks` describe it, by type. */
export const describedWebhooks = (): Readonly<Record<WebhookType, ReturnType<typeof operationOf>>> =>
  Object.fromEntries(webhookTypes.map((type) => [type, operationOf(type)])) as Record<
    WebhookType,
    ReturnType<typeof operationOf>
  >;
