import { EventStoreDbError } from "./failure.ts";

/** What an `esdb://` URL says. */
export interface EventStoreDbUrl {
  /** One address, several members of a cluster, or a name whose addresses are those of the members. */
  kind: "single" | "members" | "discover";
  hosts: { address: string; port: number }[];
  credentials: { username: string; password: string } | undefined;
  tls: boolean;
  /** The URL's other options, by the names that the client has for them. */
  options: Partial<Record<OptionName, string>>;
}

const OPTION_NAMES = [
  "tls",
  "tlsCAFile",
  "userCertFile",
  "userKeyFile",
  "connectionName",
  "nodePreference",
  "keepAliveInterval",
  "keepAliveTimeout",
  "discoveryInterval",
  "gossipTimeout",
  "maxDiscoverAttempts",
] as const;
type OptionName = (typeof OPTION_NAMES)[number];

const DEFAULT_PORT = 2113;
const SHAPE = /^esdb(\+discover)?:\/\/(?:([^:@/]+):([^@/]+)@)?([^@/?]+)\/?(?:\?(.*))?$/;

const bad = (what: string) => new EventStoreDbError("bad_url", `The URL of EventStoreDB ${what}.`);

const hostIn = (text: string): { address: string; port: number } => {
  const match = /^([^:\s]+)(?::(\d{1,5}))?$/.exec(text.trim());
  const port = Number(match?.[2] ?? DEFAULT_PORT);
  if (!match?.[1] || port < 1 || port > 65_535) throw bad("has to name hosts as host:port");
  return { address: match[1], port };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw bad("has a % in the user or password that is not written as %25");
  }
};

const optionsIn = (query: string): EventStoreDbUrl["options"] => {
  const options: EventStoreDbUrl["options"] = {};
  for (const [given, value] of new URLSearchParams(query)) {
    const name = OPTION_NAMES.find((known) => known.toLowerCase() === given.toLowerCase().replaceAll(/[_-]/g, ""));
    if (!name) throw bad(`has an option that is not known here; known are ${OPTION_NAMES.join(", ")}`);
    options[name] = value;
  }
  return options;
};

/**
 * Reads the URL that EventStoreDB's clients share (`esdb://user:password@host:2113?tls=true`). Not by the client's own
 * reader: that one prints the whole URL where it meets an option that it does not know, and keeps it in its errors.
 * @throws {EventStoreDbError} with a sentence that repeats nothing of the URL.
 */
export const parseEventStoreDbUrl = (url: string): EventStoreDbUrl => {
  const match = SHAPE.exec(url.trim());
  if (!match) throw bad("has to look like esdb://user:password@host:2113, or esdb+discover://…");
  const [, discover, username, password, hostList = "", query = ""] = match;
  const hosts = hostList.split(",").map(hostIn);
  const options = optionsIn(query);
  if (options.tls !== undefined && options.tls !== "true" && options.tls !== "false")
    throw bad("has an option tls that is neither true nor false");
  return {
    kind: discover ? "discover" : hosts.length > 1 ? "members" : "single",
    hosts,
    credentials: username && password ? { username: decoded(username), password: decoded(password) } : undefined,
    tls: options.tls !== "false",
    options,
  };
};
