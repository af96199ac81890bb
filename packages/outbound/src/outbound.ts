import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { type Clock, WAIT_ENDED } from "@rubrica/runtime";
import { isPublicAddress } from "./public-address.ts";
import { createNameResolver, type ResolvedAddress } from "./resolve.ts";

/** Why there is no answer. */
export type OutboundFailure = "bad_url" | "not_public" | "unknown_host" | "no_answer" | "timed_out";

/** A request that got no answer. Names neither the URL nor an address; the cause is for the log. */
export class OutboundFailed extends Error {
  readonly failure: OutboundFailure;

  constructor(failure: OutboundFailure, options?: { cause?: unknown }) {
    super(`no answer from outside: ${failure}`, options);
    this.name = "OutboundFailed";
    this.failure = failure;
  }
}

export interface OutboundRequest {
  method: "GET" | "POST" | "DELETE";
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** For everything: name look-up, connection, answer. */
  timeoutMs: number;
  /** No more than these bytes of the answer are read. */
  maxAnswerBytes: number;
  /** The answer's status and headers suffice: when its body does not come in time, what came of it is the answer. Default: false. */
  headersSuffice?: boolean;
  /** Gives the request up; what it is aborted with is thrown. */
  signal?: AbortSignal;
}

export interface OutboundAnswer {
  status: number;
  body: Buffer;
  /** False when the answer was longer than `maxAnswerBytes`, and `body` is its beginning. */
  isWhole: boolean;
  /** The answer's `Retry-After`, as it came: seconds, or an HTTP date. */
  retryAfter?: string | undefined;
}

/** Requests to addresses that others gave. Redirects are never followed. */
export interface Outbound {
  /** @throws {OutboundFailed} when there is no answer. */
  request(request: OutboundRequest): Promise<OutboundAnswer>;
}

export interface OutboundOptions {
  clock: Clock;
  /** Lets requests reach private addresses too. */
  allowPrivate: boolean;
  /** All addresses of a host name; default: {@link createNameResolver}. */
  resolve?: (hostname: string) => Promise<readonly ResolvedAddress[]>;
}

/**
 * Requests that reach public addresses only (unless private ones are allowed): the host is checked as the URL parser
 * understands it, all its addresses as they resolve, and the connection goes to those addresses and no other, so that a
 * name that resolves otherwise a moment later gains nothing.
 */
export const createOutbound = ({ clock, allowPrivate, resolve = createNameResolver() }: OutboundOptions): Outbound => ({
  async request(request) {
    const url = targetOf(request.url);
    request.signal?.throwIfAborted();
    const waiting = new AbortController();
    const over = new AbortController();
    const giveUp = () => {
      over.abort();
      waiting.abort(WAIT_ENDED);
    };
    request.signal?.addEventListener("abort", giveUp, { once: true });
    let isSettled = false;
    const came: { answer?: OutboundAnswer } = {};
    const end = clock.wait(request.timeoutMs, { signal: waiting.signal, background: true }).then(() => {
      if (isSettled) return;
      over.abort();
      request.signal?.throwIfAborted();
      if (came.answer && request.headersSuffice) return came.answer;
      throw new OutboundFailed("timed_out");
    });
    const answer = addressesOf(url, { allowPrivate, resolve }).then((addresses) =>
      send(url, request, addresses, over.signal, (withoutBody) => {
        came.answer = withoutBody;
      }),
    );
    try {
      // A request that is given up fails at once too: the race tells what ended it, not that failure.
      return (await Promise.race([end, answer])) as OutboundAnswer;
    } catch (error) {
      request.signal?.throwIfAborted();
      if (came.answer && request.headersSuffice) return came.answer;
      throw error;
    } finally {
      request.signal?.removeEventListener("abort", giveUp);
      isSettled = true;
      waiting.abort(WAIT_ENDED);
      end.catch(() => undefined);
      answer.catch(() => undefined);
    }
  },
});

const literalOf = ({ hostname }: URL): string | undefined => {
  const literal = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(literal) ? literal : undefined;
};

/**
 * Whether a URL's host is written as an address, in whichever way, that is not a public one: known without asking anybody.
 * False for what is no URL, and for names.
 */
export const isPrivateLiteral = (text: string): boolean => {
  const literal = URL.canParse(text) ? literalOf(new URL(text)) : undefined;
  return literal !== undefined && !isPublicAddress(literal);
};

const addressesOf = async (
  url: URL,
  { allowPrivate, resolve }: Required<Pick<OutboundOptions, "allowPrivate" | "resolve">>,
): Promise<readonly ResolvedAddress[]> => {
  const literal = literalOf(url);
  const addresses = literal ? [{ address: literal, family: isIP(literal) }] : await resolved(resolve, url.hostname);
  if (addresses.length === 0) throw new OutboundFailed("unknown_host");
  // One private address is enough: who answers with both is up to something, or serves an inner network.
  if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) {
    throw new OutboundFailed("not_public");
  }
  return addresses;
};

const targetOf = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (!url || !isWeb || url.username !== "" || url.password !== "") throw new OutboundFailed("bad_url");
  return url;
};

const resolved = async (resolve: NonNullable<OutboundOptions["resolve"]>, hostname: string) => {
  try {
    return await resolve(hostname);
  } catch (cause) {
    throw new OutboundFailed("unknown_host", { cause });
  }
};

/** Answers every look-up with the addresses that were checked. */
const pinned =
  (addresses: readonly ResolvedAddress[]): LookupFunction =>
  (_hostname, { all }, done) => {
    const [first] = addresses;
    if (all) done(null, [...addresses]);
    else done(null, first?.address ?? "", first?.family);
  };

const send = async (
  url: URL,
  { method, headers = {}, body, maxAnswerBytes }: OutboundRequest,
  addresses: readonly ResolvedAddress[],
  signal: AbortSignal,
  onHeaders: (answer: OutboundAnswer) => void,
): Promise<OutboundAnswer> => {
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  try {
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      // An agent of its own: a kept connection to a name would pass the checks by.
      const outgoing = request(url, { method, headers, agent: false, signal, lookup: pinned(addresses) });
      outgoing.once("response", resolve).once("error", reject).end(body);
    });
    onHeaders({ ...headersOf(message), body: Buffer.alloc(0), isWhole: false });
    return await answerOf(message, maxAnswerBytes);
  } catch (cause) {
    throw new OutboundFailed("no_answer", { cause });
  }
};

const answerOf = async (message: IncomingMessage, maxBytes: number): Promise<OutboundAnswer> => {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  // Leaving the loop destroys the connection.
  for await (const chunk of message as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) break;
  }
  const body = Buffer.concat(chunks).subarray(0, maxBytes);
  return { ...headersOf(message), body, isWhole: sizeBytes <= maxBytes };
};

const headersOf = ({ statusCode: status = 0, headers }: IncomingMessage) => ({
  status,
  retryAfter: headers["retry-after"],
});
