import { validateHeaderName, validateHeaderValue } from "node:http";
import { isPrivateLiteral } from "@rubrica/outbound";
import { z } from "zod";

/** More entries than these are refused. */
export const MAX_WEBHOOK_HEADERS = 10;
const MAX_HEADER_LENGTH = 2_000;
const MAX_URL_LENGTH = 2_000;
// Hop-by-hop headers (RFC 9110 §7.6.1) and those that the sender alone can know.
const RESERVED =
  /^(host|content-.*|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|webhook-.*)$/i;

/** Why a `webhook_key` can't be sent as HTTP headers, or undefined when it can. Names no value. */
const headersFault = (headers: Readonly<Record<string, string>>): string | undefined => {
  const entries = Object.entries(headers);
  if (entries.length > MAX_WEBHOOK_HEADERS) return `must have at most ${MAX_WEBHOOK_HEADERS} entries`;
  const unusable = entries.some(([name, value]) => !isHeader(name, value));
  const names = new Set(entries.map(([name]) => name.toLowerCase()));
  return unusable || names.size < entries.length ? "must hold HTTP headers that a webhook may carry" : undefined;
};

const isHeader = (name: string, value: string): boolean => {
  if (RESERVED.test(name) || name.length + value.length > MAX_HEADER_LENGTH) return false;
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
};

const webUrl = z
  .url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .max(MAX_URL_LENGTH, `must have at most ${MAX_URL_LENGTH} characters`);

/** Where a webhook goes. A literal address that can't be public is refused at once, without looking anything up. */
export const webhookUrl = (allowPrivateUrls: boolean) =>
  webUrl.refine((url) => allowPrivateUrls || !isPrivateLiteral(url), { error: "must not lead to a private address" });

/** What goes as headers with a webhook. */
export const webhookHeaders = z.record(z.string(), z.string()).superRefine((headers, context) => {
  const fault = headersFault(headers);
  if (fault) context.addIssue({ code: "custom", message: fault });
});
