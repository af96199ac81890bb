import { readFileSync } from "node:fs";
import {
  type ChannelCredentialOptions,
  type DNSClusterOptions,
  EventStoreDBClient,
  type GossipClusterOptions,
  type NodePreference,
  type SingleNodeOptions,
} from "@eventstore/db-client";
import { EventStoreDbError } from "./failure.ts";
import { type EventStoreDbUrl, parseEventStoreDbUrl } from "./url.ts";

/** The client says "still there?" after so long without traffic, and gives the connection up so long after. */
const KEEP_ALIVE_INTERVAL_MS = 10_000;
const KEEP_ALIVE_TIMEOUT_MS = 5_000;
/** A discovery that failed is tried again here, with pauses that grow. */
const DISCOVERY_ATTEMPTS = 3;

type Settings = SingleNodeOptions | GossipClusterOptions | DNSClusterOptions;
const PREFERENCES: readonly NodePreference[] = ["leader", "follower", "read_only_replica", "random"];

const numberIn = ({ options }: EventStoreDbUrl, name: keyof EventStoreDbUrl["options"], fallback: number): number => {
  const value = Number(options[name] ?? fallback);
  if (Number.isInteger(value) && value > 0) return value;
  throw new EventStoreDbError("bad_url", `The URL of EventStoreDB has an option ${name} that is no number above 0.`);
};

const fileIn = ({ options }: EventStoreDbUrl, name: "tlsCAFile" | "userCertFile" | "userKeyFile") => {
  const path = options[name];
  if (path === undefined) return undefined;
  try {
    return readFileSync(path);
  } catch {
    throw new EventStoreDbError("bad_url", `The URL of EventStoreDB names a ${name} that can't be read.`);
  }
};

const preferenceIn = ({ options }: EventStoreDbUrl): NodePreference => {
  const wanted = (options.nodePreference ?? "leader").toLowerCase().replaceAll(/[_-]/g, "");
  const known = PREFERENCES.find((preference) => preference.replaceAll("_", "") === wanted);
  if (known) return known;
  throw new EventStoreDbError(
    "bad_url",
    `The URL of EventStoreDB has an option nodePreference that is none of ${PREFERENCES.join(", ")}.`,
  );
};

const settingsOf = (url: EventStoreDbUrl): Settings => {
  const [first] = url.hosts;
  if (!first) throw new EventStoreDbError("bad_url", "The URL of EventStoreDB names no host.");
  const { connectionName } = url.options;
  const common = {
    keepAliveInterval: numberIn(url, "keepAliveInterval", KEEP_ALIVE_INTERVAL_MS),
    keepAliveTimeout: numberIn(url, "keepAliveTimeout", KEEP_ALIVE_TIMEOUT_MS),
    ...(connectionName === undefined ? {} : { connectionName }),
  };
  if (url.kind === "single") return { ...common, endpoint: first };
  const cluster = {
    ...common,
    nodePreference: preferenceIn(url),
    discoveryInterval: numberIn(url, "discoveryInterval", 100),
    gossipTimeout: numberIn(url, "gossipTimeout", 5),
    maxDiscoverAttempts: numberIn(url, "maxDiscoverAttempts", DISCOVERY_ATTEMPTS),
  };
  return url.kind === "discover" ? { ...cluster, discover: first } : { ...cluster, endpoints: url.hosts };
};

const channelSettingsOf = (url: EventStoreDbUrl): ChannelCredentialOptions => {
  if (!url.tls) return { insecure: true };
  const rootCertificate = fileIn(url, "tlsCAFile");
  const userCertFile = fileIn(url, "userCertFile");
  const userKeyFile = fileIn(url, "userKeyFile");
  if (!userCertFile !== !userKeyFile)
    throw new EventStoreDbError("bad_url", "The URL of EventStoreDB needs userCertFile and userKeyFile together.");
  return {
    ...(rootCertificate ? { rootCertificate } : {}),
    ...(userCertFile && userKeyFile ? { userCertFile, userKeyFile } : {}),
  };
};

/** The official client, without two of its traps. */
export class SteadyClient extends EventStoreDBClient {
  #channel: Awaited<ReturnType<EventStoreDBClient["getChannel"]>> | undefined;

  constructor(url: EventStoreDbUrl) {
    // One constructor takes all three kinds; its types name them one by one.
    super(settingsOf(url) as SingleNodeOptions, channelSettingsOf(url), url.credentials);
    // Appends then go one call each. The batch path, faster by half, is wedged for good by one answer that it doesn't
    // expect, obeys no deadline, and shares a table with every other client of the process.
    this.supports = () => Promise.resolve(false);
    const reconnect = this.handleError;
    // Nobody awaits it: where no member of a cluster is found meanwhile, its rejection would end the process.
    this.handleError = (client, error) => reconnect(client, error).catch(() => {});
    const channel = this.getChannel;
    this.getChannel = async () => {
      this.#channel = await channel();
      return this.#channel;
    };
  }

  /** Ends every stream, and the connection, which `dispose` leaves open. */
  async close(): Promise<void> {
    await this.dispose();
    this.#channel?.close();
  }
}

/** A client of what the URL names; it connects at the first call. @throws {EventStoreDbError} when the URL is none. */
export const clientOf = (url: string): SteadyClient => new SteadyClient(parseEventStoreDbUrl(url));
