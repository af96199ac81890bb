import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Notice } from "@rubrica/events";
import { isoTime } from "@rubrica/runtime";
import { z } from "zod";
import { meaningOf } from "./errors.ts";
import { answerOf, messageIdOf } from "./marks.ts";

/** What is kept of an id that comes from outside. */
const MAX_ID_LENGTH = 1_000;
const Wamid = z.string().min(1).max(MAX_ID_LENGTH);
/** An own id as notices hold it. */
const OWN_ID = /^[\x21-\x7e]{1,200}$/;
/** UNIX time in seconds, as text; up to the year 2286. */
const Timestamp = z.string().regex(/^\d{1,10}$/);

const Status = z.object({
  id: Wamid,
  status: z.enum(["sent", "delivered", "read", "failed"]),
  timestamp: Timestamp,
  biz_opaque_callback_data: z.string().nullish(),
  errors: z.array(z.object({ code: z.int(), error_subcode: z.int().optional() })).nullish(),
});

const Button = z.object({
  type: z.literal("button"),
  timestamp: Timestamp,
  button: z.object({ payload: z.string() }),
  context: z.object({ id: Wamid }),
});

/** Phone numbers in notices are ignored: they are written otherwise than they were given, or are missing. */
const Payload = z.object({
  object: z.literal("whatsapp_business_account"),
  entry: z.array(
    z.object({
      changes: z.array(
        z.object({
          field: z.string(),
          value: z.object({
            metadata: z.object({ phone_number_id: z.string() }).optional(),
            statuses: z.array(z.unknown()).optional(),
            messages: z.array(z.unknown()).optional(),
          }),
        }),
      ),
    }),
  ),
});

/** What is told of our messages. */
export interface WebhookReader {
  /** The sender that is ours: what is of others on the same app is left out. */
  phoneNumberId: string;
  /** As the provider's (`WhatsAppOptions`). */
  idOf(wamid: string): string;
}

/**
 * The notices in the body of one of Meta's webhook calls, in its order, without a phone, a name or a text. What is not of
 * our messages is left out: other fields, texts that signers write, statuses of other kinds, and whatever form Meta gives
 * to things that are not known here. Empty where there is nothing of ours.
 */
export const noticesOf = (payload: unknown, { phoneNumberId, idOf }: WebhookReader): Notice[] => {
  const values = Payload.safeParse(payload).data?.entry.flatMap(({ changes }) =>
    changes.filter(({ field }) => field === "messages").map(({ value }) => value),
  );
  const ours = (values ?? []).filter(({ metadata }) => (metadata?.phone_number_id ?? phoneNumberId) === phoneNumberId);
  return ours.flatMap(({ statuses = [], messages = [] }) => [
    ...statuses.flatMap((status) => statusNotice(status, idOf) ?? []),
    ...messages.flatMap((message) => answerNotice(message, idOf) ?? []),
  ]);
};

const atOf = (timestamp: string): string => isoTime(Number(timestamp) * 1_000);

const ownId = (messageId: string): string | null => (OWN_ID.test(messageId) ? messageId : null);

const statusNotice = (told: unknown, idOf: WebhookReader["idOf"]): Notice | undefined => {
  const { data: status } = Status.safeParse(told);
  if (!status) return undefined;
  const { biz_opaque_callback_data: opaque } = status;
  const messageId = typeof opaque === "string" ? messageIdOf(opaque) : null;
  // It carries another system's mark: it is not ours.
  if (opaque && messageId === null) return undefined;
  const named = {
    providerMessageId: idOf(status.id),
    messageId: messageId && ownId(messageId),
    at: atOf(status.timestamp),
  };
  if (status.status !== "failed") return { kind: status.status, ...named };
  const [error] = status.errors ?? [];
  const { reason, permanent } = error
    ? meaningOf(error.code, error.error_subcode)
    : { reason: "whatsapp_failed", permanent: false };
  return { kind: "failed", ...named, reason, permanent };
};

const answerNotice = (told: unknown, idOf: WebhookReader["idOf"]): Notice | undefined => {
  const { data: message } = Button.safeParse(told);
  const pressed = message && answerOf(message.button.payload);
  if (!pressed) return undefined;
  return {
    kind: "answered",
    answer: pressed.answer,
    providerMessageId: idOf(message.context.id),
    messageId: ownId(pressed.messageId),
    at: atOf(message.timestamp),
  };
};

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;

/** Whether a header may be Meta's signature at all. */
export const isSignature = (header: unknown): header is string => typeof header === "string" && SIGNATURE.test(header);

/**
 * Whether `X-Hub-Signature-256` is Meta's of these bytes, by one of the app's secrets, compared in constant time
 * (https://developers.facebook.com/docs/graph-api/webhooks/getting-started#validate-payloads).
 */
export const isSignedByApp = (body: Uint8Array, header: unknown, appSecrets: readonly string[]): boolean => {
  if (!isSignature(header)) return false;
  const given = Buffer.from(header.slice("sha256=".length), "hex");
  // All are compared, so that time does not tell which one it was.
  return appSecrets
    .map((secret) => timingSafeEqual(createHmac("sha256", secret).update(body).digest(), given))
    .some((isEqual) => isEqual);
};

/** Meta's question whether an address is the service's, which is answered by its `hub.challenge`. */
export const challengeOf = (query: Readonly<Record<string, unknown>>, verifyToken: string): string | undefined => {
  const { "hub.mode": mode, "hub.verify_token": shown, "hub.challenge": challenge } = query;
  if (mode !== "subscribe" || typeof shown !== "string" || typeof challenge !== "string") return undefined;
  const digestOf = (text: string) => createHash("sha256").update(text).digest();
  const isShown = timingSafeEqual(digestOf(shown), digestOf(verifyToken));
  return isShown && /^[\w-]{1,200}$/.test(challenge) ? challenge : undefined;
};
