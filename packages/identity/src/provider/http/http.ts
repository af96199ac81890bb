import type { Provider } from "@rubrica/events";
import {
  createOwnService,
  needsNoMoreAsking,
  type OutboundAnswer,
  OutboundFailed,
  type OwnService,
  type OwnServiceOptions,
  type OwnServiceRequest,
} from "@rubrica/outbound";
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

export interface HttpIdentityProviderOptions extends OwnServiceOptions {
  provider: Provider;
  limits?: Partial<HttpIdentityLimits>;
}

/**
 * The provider behind an adapter that speaks docs/identity-provider.md. Its address is the operator's own, so private ones
 * are reached; photos and key leave a private network by TLS only.
 * @throws {RangeError} when the URL or the key cannot be used.
 */
export const createHttpIdentityProvider = ({
  provider,
  limits: given = {},
  ...where
}: HttpIdentityProviderOptions): IdentityProvider => {
  const { clock } = where;
  const limits = { ...LIMITS, ...given };
  const service = createOwnService(where);

  return {
    provider,

    async check(check, signal) {
      const body = checkJson(check);
      const endsAtMs = clock.monotonicMs() + limits.checkTimeoutMs;
      for (;;) {
        const leftMs = endsAtMs - clock.monotonicMs();
        if (leftMs <= 0) throw new IdentityProviderUnavailable("timeout", false);
        const timeoutMs = Math.min(limits.requestTimeoutMs, leftMs);
        const maxAnswerBytes = limits.maxVerdictBytes;
        const headers = { "content-type": "application/json", "idempotency-key": check.checkId };
        const request = { method: "POST", path: "/checks", headers, body, timeoutMs, maxAnswerBytes, signal } as const;
        const answer = await answerOf(service, request);
        if (answer.status !== 202) return bodyOf(answer, readVerdict);
        await clock.wait(Math.min(pauseMs(answer.retryAfter, clock.now()), leftMs), { signal, background: true });
      }
    },

    async evidence(subject, signal) {
      const answer = await answerOf(service, {
        method: "GET",
        path: `/subjects/${encodeURIComponent(subject)}/evidence`,
        timeoutMs: limits.requestTimeoutMs,
        maxAnswerBytes: limits.maxEvidenceBytes,
        signal,
      });
      return answer.status === 404 ? [] : bodyOf(answer, (body) => readEvidence(body, limits));
    },

    async forget(subject, signal) {
      const answer = await answerOf(service, {
        method: "DELETE",
        path: `/subjects/${encodeURIComponent(subject)}`,
        timeoutMs: limits.requestTimeoutMs,
        maxAnswerBytes: limits.maxVerdictBytes,
        signal,
      });
      if (needsNoMoreAsking(answer)) return;
      const reason = [400, 401, 403].includes(answer.status) ? "refused" : "busy";
      const cause = new Error(`the answer's status is ${answer.status}`);
      throw new IdentityProviderUnavailable(reason, false, { cause });
    },
  };
};

const answerOf = async (service: OwnService, request: OwnServiceRequest): Promise<OutboundAnswer> => {
  try {
    return await service.ask(request);
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
