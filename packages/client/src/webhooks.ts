import { WebhookVerificationError as Refusal, Webhook } from "standardwebhooks";
import type { webhooks } from "./openapi.ts";

type BodyOf<Type extends keyof webhooks> = NonNullable<
  webhooks[Type]["post"]["requestBody"]
>["content"]["application/json"];

/** What a webhook says: its `type` tells which `data` it has. */
export type RubricaWebhook = { [Type in keyof webhooks]: BodyOf<Type> }[keyof webhooks];

/** The headers of a request: Node's `request.headers`, or the `headers` of a `Request`. */
export type WebhookHeaders = Pick<Headers, "get"> | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Why a call is not taken for one of the service's. */
export type WebhookFault = "missing_header" | "stale" | "wrong_signature" | "unreadable";

/** The call is not the service's, or not of now: answer 401, and do nothing of what it says. */
export class WebhookVerificationError extends Error {
  readonly code: WebhookFault;

  constructor(code: WebhookFault, message: string) {
    super(message);
    this.name = "WebhookVerificationError";
    this.code = code;
  }
}

const HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;

/**
 * What a webhook says, once it is known to be the service's and at most five minutes old (Standard Webhooks,
 * https://github.com/standard-webhooks/standard-webhooks).
 * @param body The bytes as they came: what is parsed and written anew has another signature.
 * @param secret The account's `webhook_secret` (`whsec_…`), or several of them while it is being changed: one has to fit.
 * @throws {WebhookVerificationError} when it is not to be believed.
 * @throws {TypeError} when a secret is not a valid one, or the body was parsed already: the receiver has to be mended.
 */
export const verifyWebhook = (
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string | readonly string[],
): RubricaWebhook => {
  const verifiers = verifiersOf(typeof secret === "string" ? [secret] : secret);
  const signed = signedHeaders(headers);
  const text = textOf(body);
  let refusal: unknown;
  for (const verifier of verifiers) {
    try {
      verifier.verify(text, signed, { jsonParse: false });
      return webhookOf(text);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusal = error;
    }
  }
  throw faultOf(refusal);
};

const verifiersOf = (secrets: readonly string[]): Webhook[] => {
  if (secrets.length === 0) throw new TypeError("A webhook can't be verified without a secret.");
  return secrets.map((secret) => {
    try {
      return new Webhook(secret);
    } catch {
      throw new TypeError("A webhook's secret is `whsec_` and Base64, as the account was given it; this is none.");
    }
  });
};

const signedHeaders = (headers: WebhookHeaders): Record<string, string> =>
  Object.fromEntries(
    HEADERS.map((name) => {
      const value = headerOf(headers, name);
      if (value) return [name, value];
      throw new WebhookVerificationError("missing_header", `The request has no header ${name}: it is no webhook.`);
    }),
  );

const headerOf = (headers: WebhookHeaders, name: string): string | undefined => {
  if (typeof headers.get === "function") return headers.get(name) ?? undefined;
  const given = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof given === "string" ? given : undefined;
};

const textOf = (body: string | Uint8Array): string => {
  if (typeof body === "string") return body;
  if (!(body instanceof Uint8Array)) {
    throw new TypeError(
      "A webhook is verified by its body as it came (a string or Buffer), not by what was parsed of it.",
    );
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new WebhookVerificationError("unreadable", "The webhook's body is not UTF-8.");
  }
};

const webhookOf = (text: string): RubricaWebhook => {
  try {
    return JSON.parse(text);
  } catch {
    throw new WebhookVerificationError("unreadable", "The webhook's body is not JSON.");
  }
};

/** The library says what was wrong in these words alone. */
const faultOf = (refusal: unknown): WebhookVerificationError => {
  switch (refusal instanceof Refusal ? refusal.message : "") {
    case "Message timestamp too old":
      return new WebhookVerificationError("stale", "The webhook was signed more than five minutes ago.");
    case "Message timestamp too new":
      return new WebhookVerificationError(
        "stale",
        "The webhook was signed in the future: compare the machines' clocks.",
      );
    case "Invalid Signature Headers":
      return new WebhookVerificationError("stale", "The webhook's header webhook-timestamp is no time.");
    default:
      return new WebhookVerificationError(
        "wrong_signature",
        "No signature of the webhook fits its body and the secret.",
      );
  }
};
