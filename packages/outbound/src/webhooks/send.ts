import { headText, type TreeHead } from "@rubrica/events";
import type { Clock } from "@rubrica/runtime";
import { type Outbound, OutboundFailed, type OutboundFailure } from "../outbound.ts";
import { retryAfterMs } from "../retry-after.ts";
import { signatureHeaders } from "./signature.ts";

/** Of the event log: whoever keeps it can show later that the log was cut, or written anew. */
export const HEAD_HEADER = "rubrica-head";
const TIMEOUT_MS = 15_000;
/** Nothing is done with the answer's body. */
const MAX_ANSWER_BYTES = 4_096;
/** The receiver wants no webhooks any more. */
const GONE = 410;

/** A callback: where it goes, and what it says. */
export interface Callback {
  url: string;
  /** The integrator's own. */
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body: string;
}

/** A callback as it is sent: its id, the same in each attempt, and what it is signed with. */
export interface SignedCallback extends Callback {
  id: string;
  /** The log's newest head when it was attempted first; null where there was none. */
  head: TreeHead | null;
  /** The account's: the one that is valid, and those that it replaced lately. */
  secrets: readonly string[];
}

/** Why it was not taken: `status`, an answer other than 2xx; `gone`, a 410; `forgotten`, there is nothing to send any more; else there was no answer. */
export type WebhookFailureReason = "status" | "gone" | "forgotten" | OutboundFailure;

/** What came of an attempt. `durationMs`: until the answer, or until there was none. */
export type WebhookOutcome =
  | { taken: true; status: number; durationMs: number }
  | {
      taken: false;
      reason: WebhookFailureReason;
      /** Trying again is of no use. */
      permanent: boolean;
      /** Null when no answer came. */
      status: number | null;
      durationMs: number;
      /** The pause that the receiver asked for, in milliseconds, a day at most; undefined when it asked for none. */
      notBeforeMs?: number | undefined;
    };

/** Sends a callback once. Only a 2xx is a success; redirects are not followed; the answer has 15 s. */
export const sendWebhook = async (
  { outbound, clock }: { outbound: Outbound; clock: Clock },
  { id, secrets, head, url, headers, body }: SignedCallback,
): Promise<WebhookOutcome> => {
  const startMs = clock.monotonicMs();
  const durationMs = () => Math.round(clock.monotonicMs() - startMs);
  try {
    const { status, retryAfter } = await outbound.request({
      method: "POST",
      url,
      headers: {
        "user-agent": "Rubrica",
        ...headers,
        ...signatureHeaders(secrets, { id, body, now: clock.now() }),
        ...(head ? { [HEAD_HEADER]: headText(head) } : {}),
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
      },
      body,
      timeoutMs: TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      headersSuffice: true,
    });
    if (status >= 200 && status < 300) return { taken: true, status, durationMs: durationMs() };
    const notBeforeMs = retryAfterMs(retryAfter, clock.now());
    const permanent = status === GONE;
    const reason = permanent ? "gone" : "status";
    return { taken: false, reason, permanent, status, durationMs: durationMs(), notBeforeMs };
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error;
    return { taken: false, reason: error.failure, permanent: false, status: null, durationMs: durationMs() };
  }
};
