import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import {
  createOutbound,
  isPublicAddress,
  type Outbound,
  type OutboundAnswer,
  OutboundFailed,
  type OutboundOptions,
  type OutboundRequest,
} from "@rubrica/fetching";
import type { Clock } from "@rubrica/runtime";
import { type IdentityProvider, IdentityProviderUnavailable } from "../port.ts";
import { checkJson, type EvidenceLimits, MalformedAnswer, readEvidence, readVerdict } from "./messages.ts";

/** What is waited for and taken, at most. */
export interface HttpIdentityLimits extends EvidenceLimits {
  /** For one request. */
  requestTimeoutMs: number;
  /** For a check, however often it is asked again while the provider is still working. */
  checkTimeoutMs: number;
  maxVerdictBytes: number;
  /** For all files of a subject together, in Base64. */
  maxEvidenceBytes: number;
}

const LIMITS: HttpIdentityLimits = {
  requestTimeoutMs: 30_000,
  checkTimeoutMs: 120_000,
  maxVerdictBytes: 65_536,
  maxEvidenceBytes: 32 * 1_024 * 1_024,
  maxFiles: 20,
  maxFileBytes: 10_000_000,
};

const PAUSE_MS = 5_000;
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

export interface HttpIdentityProviderOptions {
  /** Where the adapter is: https, or http within a private network. */
  url: string;
  /** Sent as a bearer token. */
  key: string;
  clock: Clock;
  limits?: Partial<HttpIdentityLimits>;
  /** All addresses of a host name; default: the operating system's. */
  resolve?: OutboundOptions["resolve"];
}

/**
 * The provider behind an adapter that speaks docs/identity-provider.md. Its address is the operator's own, so private ones
 * are reached; photos and key leave a private network by TLS only.
 * @throws {RangeError} when the URL or the key cannot be used.
 */
export const createHttpIdentityProvider = ({
  url,
  key,
  clock,
  limits: given = {},
  resolve = (hostname) => lookup(hostname, { all: true }),
}: HttpIdentityProviderOptions): IdentityProvider => {
  const base = baseOf(url);
  if (!/^[\x21-\x7e]+$/.test(key)) throw new RangeError("the key must be printable ASCII without spaces");
  const limits = { ...LIMITS, ...given };
  const outbound = createOutbound({
    clock,
    allowPrivate: true,
    resolve: base.isClear ? privateOnly(resolve) : resolve,
  });
  const headers = { authorization: `Bearer ${key}`, accept: "application/json", "user-agent": "Rubrica" };
  const ask = (request: Omit<OutboundRequest, "headers">, more: Record<string, string> = {}) =>
    answerOf(outbound, { ...request, headers: { ...headers, ...more } });

  return {
    async check(check, signal) {
      const more = { "content-type": "application/json", "idempotency-key": check.checkId };
      const body = checkJson(check);
      const endsAtMs = clock.monotonicMs() + limits.checkTimeoutMs;
      for (;;) {
        const leftMs = endsAtMs - clock.monotonicMs();
        if (leftMs <= 0) throw new IdentityProviderUnavailable("timeout", false);
        const timeoutMs = Math.min(limits.requestTimeoutMs, leftMs);
        const maxAnswerBytes = limits.maxVerdictBytes;
        const answer = await ask(
          { method: "POST", url: `${base.url}/checks`, body, timeoutMs, maxAnswerBytes, signal },
          more,
        );
        if (answer.status !== 202) return bodyOf(answer, readVerdict);
        await clock.wait(Math.min(pauseMs(answer.retryAfter, clock.now()), leftMs), { signal, background: true });
      }
    },

    async evidence(subject, signal) {
      const answer = await ask({
        method: "GET",
        url: `${base.url}/subjects/${encodeURIComponent(subject)}/evidence`,
        timeoutMs: limits.requestTimeoutMs,
        maxAnswerBytes: limits.maxEvidenceBytes,
        signal,
      });
      return answer.status === 404 ? [] : bodyOf(answer, (body) => readEvidence(body, limits));
    },
  };
};

/** Without a slash at its end. `isClear`: by it, all could be read on the way. */
const baseOf = (text: string): { url: string; isClear: boolean } => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (!url || !isWeb || url.username || url.password || url.search || url.hash) {
    throw new RangeError("the URL must be https (or http), without user name, password, query and fragment");
  }
  const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const isClear = url.protocol === "http:";
  if (isClear && isIP(literal) && isPublicAddress(literal)) {
    throw new RangeError("the URL must be https: http reaches private addresses only");
  }
  return { url: url.href.replace(/\/+$/, ""), isClear };
};

const privateOnly =
  (resolve: NonNullable<OutboundOptions["resolve"]>): typeof resolve =>
  async (hostname) => {
    const addresses = await resolve(hostname);
    if (addresses.some(({ address }) => isPublicAddress(address))) {
      throw new Error("http reaches private addresses only: this host's needs https");
    }
    return addresses;
  };

const answerOf = async (outbound: Outbound, request: OutboundRequest): Promise<OutboundAnswer> => {
  try {
    return await outbound.request(request);
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error;
    const reason = error.failure === "timed_out" ? "timeout" : "unreachable";
    // The error below may carry bytes of the answer: its message alone goes on to the log.
    const { message } = error.cause instanceof Error ? error.cause : error;
    throw new IdentityProviderUnavailable(reason, false, { cause: new Error(message) });
  }
};

/**
 * What an answer with status 200 says; the statuses of trouble otherwise. What is wrong with the question itself stays
 * wrong; what is wrong with key or address is set right by the operator, and then asking again helps.
 */
const bodyOf = <Of>({ status, body, isWhole }: OutboundAnswer, readBody: (body: Buffer) => Of): Of => {
  const cause = new Error(`the answer's status is ${status}`);
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    throw new IdentityProviderUnavailable("busy", false, { cause });
  }
  if (status >= 400) {
    const isConfiguration = [401, 403, 404, 405].includes(status);
    throw new IdentityProviderUnavailable("refused", !isConfiguration, { cause });
  }
  if (status !== 200) throw new IdentityProviderUnavailable("bad_answer", false, { cause });
  if (!isWhole) throw new IdentityProviderUnavailable("bad_answer", false, { cause: new Error("it is too large") });
  try {
    return readBody(body);
  } catch (error) {
    if (!(error instanceof MalformedAnswer)) throw error;
    throw new IdentityProviderUnavailable("bad_answer", false, { cause: error });
  }
};

/** How long a `Retry-After` (RFC 9110, 10.2.3) asks to wait, within bounds. */
const pauseMs = (retryAfter: string | undefined, now: number): number => {
  if (retryAfter === undefined) return PAUSE_MS;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now;
  return Number.isNaN(ms) ? PAUSE_MS : Math.min(Math.max(ms, MIN_PAUSE_MS), MAX_PAUSE_MS);
};
