import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Clock } from "@rubrica/runtime";
import {
  createOutbound,
  type OutboundAnswer,
  OutboundFailed,
  type OutboundOptions,
  type OutboundRequest,
} from "./outbound.ts";
import { isPublicAddress } from "./public-address.ts";

/** A service that nobody listens for yet is asked again so often, for some ten seconds: it may just be starting. */
const KNOCKS = 50;
const KNOCK_PAUSE_MS = 200;

export interface OwnServiceOptions {
  /** Where it is: https, or http within a private network. */
  url: string;
  /** Sent as a bearer token. */
  key: string;
  clock: Clock;
  /** Whether the address is this process's own: what goes there leaves no machine, whatever address it listens on. */
  isOwnProcess?: boolean | undefined;
  /** All addresses of a host name; default: the operating system's. */
  resolve?: OutboundOptions["resolve"];
}

/** A request to an own service; `path` follows its URL. */
export type OwnServiceRequest = Omit<OutboundRequest, "url"> & { path: string };

/** A service that the operator named. */
export interface OwnService {
  /**
   * Its answer. While nobody listens at its address it is asked again, within the request's time.
   * @throws {OutboundFailed} when there is none.
   */
  ask(request: OwnServiceRequest): Promise<OutboundAnswer>;
}

/**
 * A service whose address is the operator's own, so that private ones are reached; what it is told leaves a private
 * network by TLS only.
 * @throws {RangeError} when the URL or the key cannot be used.
 */
export const createOwnService = ({
  url,
  key,
  clock,
  isOwnProcess = false,
  resolve = (hostname) => lookup(hostname, { all: true }),
}: OwnServiceOptions): OwnService => {
  const base = baseOf(url, isOwnProcess);
  if (!/^[\x21-\x7e]+$/.test(key)) throw new RangeError("the key must be printable ASCII without spaces");
  const outbound = createOutbound({
    clock,
    allowPrivate: true,
    resolve: base.isClear ? privateOnly(resolve) : resolve,
  });
  const own = { authorization: `Bearer ${key}`, accept: "application/json", "user-agent": "Rubrica" };
  return {
    async ask({ path, headers, timeoutMs, signal, ...request }) {
      const endsAtMs = clock.monotonicMs() + timeoutMs;
      for (let knock = 1; ; knock++) {
        const leftMs = endsAtMs - clock.monotonicMs();
        try {
          return await outbound.request({
            ...request,
            url: `${base.url}${path}`,
            headers: { ...own, ...headers },
            timeoutMs: leftMs,
            ...(signal ? { signal } : {}),
          });
        } catch (error) {
          if (!isRefusedConnection(error) || knock === KNOCKS || leftMs <= KNOCK_PAUSE_MS) throw error;
        }
        await clock.wait(KNOCK_PAUSE_MS, { background: true, ...(signal ? { signal } : {}) });
      }
    },
  };
};

/** The URL without a slash at its end. `isClear`: requests to it are not encrypted. */
const baseOf = (text: string, isOwnProcess: boolean): { url: string; isClear: boolean } => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (!url || !isWeb || url.username || url.password || url.search || url.hash) {
    throw new RangeError("the URL must be https (or http), without user name, password, query and fragment");
  }
  const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const isClear = url.protocol === "http:" && !isOwnProcess;
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

/** Nobody listens: nothing was asked. */
const isRefusedConnection = (error: unknown): boolean =>
  error instanceof OutboundFailed &&
  error.cause instanceof Error &&
  "code" in error.cause &&
  error.cause.code === "ECONNREFUSED";
