import { type Outbound, OutboundFailed } from "./outbound.ts";

/** Why a file was not fetched. `too_large` is about the file; the rest about its address. */
type Reason = "bad_url" | "unreachable" | "timed_out" | "redirected" | "status" | "too_large";

/**
 * A file that a caller's URL leads to is not taken. The message completes a sentence that starts with the field's name.
 * It does not tell a host that is unknown from one that is private: a caller must not map an inner network by it.
 */
export class FileFetchRefused extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "FileFetchRefused";
    this.reason = reason;
  }
}

/** Too many files are being fetched; the same may work a moment later. */
export class TooManyFetches extends Error {
  constructor() {
    super("too many files are being fetched");
    this.name = "TooManyFetches";
  }
}

export interface FileFetcherOptions {
  outbound: Outbound;
  /** For one file; default 15 s. */
  timeoutMs?: number;
  /** Files at once; default 16. */
  maxConcurrent?: number;
}

/** Fetches files from URLs that callers give. */
export interface FileFetcher {
  /**
   * The bytes that a GET of the URL is answered with (status 200, no redirects).
   * @throws {FileFetchRefused} @throws {TooManyFetches}
   */
  fetch(url: string, maxBytes: number): Promise<Buffer>;
}

export const createFileFetcher = ({
  outbound,
  timeoutMs = 15_000,
  maxConcurrent = 16,
}: FileFetcherOptions): FileFetcher => {
  let running = 0;
  return {
    async fetch(url, maxBytes) {
      if (running >= maxConcurrent) throw new TooManyFetches();
      running += 1;
      try {
        return await fileAt(outbound, url, maxBytes, timeoutMs);
      } finally {
        running -= 1;
      }
    },
  };
};

const fileAt = async (outbound: Outbound, url: string, maxBytes: number, timeoutMs: number): Promise<Buffer> => {
  const headers = { accept: "*/*", "user-agent": "Rubrica" };
  const answer = await outbound
    .request({ method: "GET", url, headers, timeoutMs, maxAnswerBytes: maxBytes })
    .catch((error: unknown) => {
      throw refusalOf(error, timeoutMs);
    });
  const { status, body, isWhole } = answer;
  if (status >= 300 && status < 400) {
    throw new FileFetchRefused("redirected", "could not be fetched: redirects are not followed");
  }
  if (status !== 200) throw new FileFetchRefused("status", `could not be fetched: the answer was ${status}, not 200`);
  if (!isWhole) throw new FileFetchRefused("too_large", `is larger than ${maxBytes} bytes`);
  return body;
};

const refusalOf = (error: unknown, timeoutMs: number): unknown => {
  if (!(error instanceof OutboundFailed)) return error;
  const options = { cause: error };
  switch (error.failure) {
    case "bad_url":
      return new FileFetchRefused("bad_url", "must be an http or https URL without user name and password", options);
    case "timed_out":
      return new FileFetchRefused("timed_out", `could not be fetched within ${timeoutMs / 1_000} s`, options);
    case "not_public":
    case "unknown_host":
    case "no_answer":
      return new FileFetchRefused(
        "unreachable",
        "could not be fetched: its host is unknown, not public or does not answer",
        options,
      );
    default:
      return error.failure satisfies never;
  }
};
