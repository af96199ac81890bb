import { createHmac } from "node:crypto";

const SECRET_PREFIX = "whsec_";

/**
 * The headers by which a receiver knows that a webhook is genuine, fresh and not a repeat (Standard Webhooks,
 * https://github.com/standard-webhooks/standard-webhooks): its id, the same in each attempt, the time of this attempt,
 * and the HMAC-SHA256 of both and of the body, by each secret.
 *
 * A secret is `whsec_` and the key in Base64; an account that has none signs nothing. `now` is in milliseconds since the
 * UNIX epoch.
 */
export const signatureHeaders = (
  secrets: readonly string[],
  { id, body, now }: { id: string; body: string; now: number },
): Record<string, string> => {
  const timestamp = String(Math.floor(now / 1_000));
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp };
  if (secrets.length === 0) return headers;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { ...headers, "webhook-signature": signatures.join(" ") };
};
