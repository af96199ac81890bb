import { createHmac } from "node:crypto";

const SECRET_PREFIX = "whsec_";

/**
 * The headers by which a receiver knows that a webhook is genuine, fresh and not a repeat (Standard Webhooks,
 * https://github.com/standard-webhooks/standard-webhooks): its id, the same in each attempt, the time of this attempt,
 * and the HMAC-SHA256 of both and of the body.
 *
 * `secret` is `whsec_` and the key in Base64, or null for an account that has none: then there is no signature.
 * `now` is in milliseconds since the UNIX epoch.
 */
export const signatureHeaders = (
  secret: string | null,
  { id, body, now }: { id: string; body: string; now: number },
): Record<string, string> => {
  const timestamp = String(Math.floor(now / 1_000));
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp };
  if (secret === null) return headers;
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  const mac = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { ...headers, "webhook-signature": `v1,${mac}` };
};
