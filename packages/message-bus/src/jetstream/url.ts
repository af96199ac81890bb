import type { ConnectionOptions } from "nats";
import { NatsUrlError } from "./bus-error.ts";

/** Where a bus is, and what opens it. */
export interface NatsPlace {
  /** Protocols, hosts and ports alone: what errors and logs may show. */
  shown: string;
  options: Pick<ConnectionOptions, "servers" | "user" | "pass" | "token" | "tls">;
}

/**
 * Reads `nats://` or `tls://` URLs, several of one cluster parted by commas: `tls://user:password@host:4222`; a name
 * without a password is a token. Who opens the first opens all.
 * @throws {NatsUrlError} which shows nothing of the URL, since it may hold a password.
 */
export const readNatsUrl = (given: string): NatsPlace => {
  const urls = given.split(",").map((part) => parsed(part.trim()));
  const [first] = urls;
  if (!first) throw new NatsUrlError();
  const [user, pass] = [decoded(first.username), decoded(first.password)];
  const isEncrypted = urls.some(({ protocol }) => protocol === "tls:");
  return {
    shown: urls.map(({ protocol, host }) => `${protocol}//${host}`).join(","),
    options: {
      servers: urls.map(({ hostname, port }) => `${hostname}:${port || "4222"}`),
      ...(user && pass ? { user, pass } : user ? { token: user } : {}),
      // `nats://` does not ask for TLS; the client still uses it when the server can.
      ...(isEncrypted ? { tls: {} } : {}),
    },
  };
};

const parsed = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !["nats:", "tls:"].includes(url.protocol) || url.hostname === "") throw new NatsUrlError();
  return url;
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new NatsUrlError();
  }
};
