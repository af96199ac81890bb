import { readFileSync } from "node:fs";
import {
  type ChannelCredentialOptions,
  convertToCommandError,
  type DNSClusterOptions,
  EventStoreDBClient,
  type GossipClusterOptions,
  type NodePreference,
  type SingleNodeOptions,
  UnavailableError,
} from "@eventstore/db-client";
import { StreamsClient } from "@eventstore/db-client/generated/streams_grpc_pb.js";
import type { PreparedAppend } from "../prepare-append.ts";
import { type AppendAnswer, answerIn, appendMessages } from "./append-messages.ts";
import { EventStoreDbError } from "./failure.ts";
import { readableStatus } from "./statuses.ts";
import { type EventStoreDbUrl, parseEventStoreDbUrl } from "./url.ts";

/**
 * The client pings after so long without traffic, and gives the connection up when no answer comes within the second
 * time.
 */
const KEEP_ALIVE_INTERVAL_MS = 10_000;
const KEEP_ALIVE_TIMEOUT_MS = 5_000;
/** A discovery that failed is tried again here, with pauses that grow. */
const DISCOVERY_ATTEMPTS = 3;
/** How long a member may take to say who leads, in whole seconds; others are asked then. */
const GOSSIP_TIMEOUT_S = 2;

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
    gossipTimeout: numberIn(url, "gossipTimeout", GOSSIP_TIMEOUT_S),
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

type Channel = Awaited<ReturnType<EventStoreDBClient["getChannel"]>>;

/** Has each call's status pass {@link readableStatus} before the client reads it. */
const withReadableStatuses = (channel: Channel): Channel => {
  const createCall = channel.createCall.bind(channel);
  channel.createCall = (...args) => {
    const call = createCall(...args);
    const start = call.start.bind(call);
    call.start = (metadata, listener) => {
      const receive = listener.onReceiveStatus.bind(listener);
      listener.onReceiveStatus = (status) => receive(readableStatus(status));
      start(metadata, listener);
    };
    return call;
  };
  return channel;
};

/** The official client, without some of its traps. */
export class SteadyClient extends EventStoreDBClient {
  /** Whether there are other members to go to where one says nothing. */
  readonly isOfCluster: boolean;
  /** Told when a member is left: what is still open there hears nothing any more. */
  readonly onLeft = new Set<() => void>();
  #channel: Channel | undefined;

  constructor(url: EventStoreDbUrl) {
    // The constructor takes all three kinds of settings, but its types know them one by one.
    super(settingsOf(url) as SingleNodeOptions, channelSettingsOf(url), url.credentials);
    this.isOfCluster = url.kind !== "single";
    const reconnect = this.handleError;
    // Nobody awaits it: where no member of a cluster is found meanwhile, its rejection would end the process.
    this.handleError = (client, error) => reconnect(client, error).catch(() => {});
    const channel = this.getChannel;
    this.getChannel = async () => {
      const current = await channel();
      if (current !== this.#channel) this.#channel = this.#watched(current);
      return current;
    };
  }

  /** The connection of the moment, if there is one, to tell {@link leave} which one said nothing. */
  get connection(): unknown {
    return this.#channel;
  }

  /**
   * Has the next call ask which member leads. Not where the connection is another one than when the call began: others
   * have left that one meanwhile. A call that began without one has made the one that there is.
   */
  async leave(connection: unknown): Promise<void> {
    const channel = this.#channel;
    if (!this.isOfCluster || !channel || (connection !== undefined && channel !== connection)) return;
    const client = { getChannel: () => channel } as unknown as Parameters<SteadyClient["handleError"]>[0];
    await this.handleError(client, new UnavailableError(undefined, "the member says nothing"));
    for (const tell of this.onLeft) tell();
  }

  /**
   * Appends by a call of its own. The client's own ways are not taken: its batches, faster by half, are wedged for good by
   * one answer that they don't expect, obey no deadline, and share a table with every other client of the process; its
   * single calls make the same text of the events a second time.
   */
  append(append: PreparedAppend, limitMs: number): Promise<AppendAnswer> {
    return this.execute(
      StreamsClient,
      "append",
      (client) =>
        new Promise<AppendAnswer>((resolve, reject) => {
          const [metadata, options] = this.callArguments({ requiresLeader: true, deadline: limitMs });
          const call = client.append(metadata, options, (error, answer) =>
            error ? reject(convertToCommandError(error)) : resolve(answerIn(answer)),
          );
          call.on("error", reject);
          for (const message of appendMessages(append)) call.write(message);
          call.end();
        }),
    );
  }

  #watched(channel: Channel): Channel {
    const close = channel.close.bind(channel);
    channel.close = () => {
      if (this.#channel === channel) this.#channel = undefined;
      close();
    };
    return withReadableStatuses(channel);
  }

  /** Ends every stream, and the connection, which `dispose` leaves open. */
  async close(): Promise<void> {
    // It has ended them all when it returns, and then waits until each is closed. One that was given up may never be.
    void this.dispose();
    this.#channel?.close();
  }
}

/** A client of what the URL names; it connects at the first call. @throws {EventStoreDbError} when the URL is not a valid one. */
export const clientOf = (url: string): SteadyClient => new SteadyClient(parseEventStoreDbUrl(url));
