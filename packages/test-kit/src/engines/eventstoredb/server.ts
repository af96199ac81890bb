import { once } from "node:events";
import { GossipService, type IGossipServer } from "@eventstore/db-client/generated/gossip_grpc_pb.js";
import type { ClusterInfo } from "@eventstore/db-client/generated/gossip_pb.js";
import {
  type IServerFeaturesServer,
  ServerFeaturesService,
} from "@eventstore/db-client/generated/serverfeatures_grpc_pb.js";
import { type IStreamsServer, StreamsService } from "@eventstore/db-client/generated/streams_grpc_pb.js";
import type { ReadReq, ReadResp } from "@eventstore/db-client/generated/streams_pb.js";
import { type Metadata, Server, ServerCredentials, type ServerWritableStream, status } from "@grpc/grpc-js";
import type { EventStore } from "@rubrica/event-store";
import type { Ids } from "@rubrica/runtime";
import { append, CallFailure } from "./appending.ts";
import { BatchAppends } from "./batch-appending.ts";
import { clusterOf } from "./gossip.ts";
import { readMessages } from "./reading.ts";
import { subscriptionMessages } from "./subscribing.ts";
import { supportedMethods } from "./supported.ts";

/** How the server stands to others: alone, unless it is a member of a cluster. */
export interface Membership {
  /** Why it can't take a call now; `needsLeader` where the call is for the leader alone. */
  refusal(needsLeader: boolean): CallFailure | undefined;
  store(needsLeader: boolean): EventStore;
  gossip(): ClusterInfo;
}

const alone = (store: EventStore, port: number): Membership => ({
  refusal: () => undefined,
  store: () => store,
  gossip: () => clusterOf([port], 0),
});

const notReady = () => new CallFailure(status.UNKNOWN, "Server Is Not Ready");

const needsLeader = ({ metadata }: { metadata: Metadata }): boolean =>
  metadata.get("requires-leader").some((value) => String(value).toLowerCase() === "true");

/** Writes message by message, no faster than the client takes them. */
const send = async (
  call: ServerWritableStream<ReadReq, ReadResp>,
  messages: AsyncIterable<ReadResp>,
  signal: AbortSignal,
): Promise<void> => {
  for await (const message of messages) {
    if (signal.aborted) return;
    if (!call.write(message)) await once(call, "drain", { signal }).catch(() => {});
  }
};

const streamsOf = (membership: Membership, ids: Ids, refusal: Membership["refusal"]): IStreamsServer => {
  const failureOf = (error: unknown, forLeader: boolean): CallFailure =>
    error instanceof CallFailure
      ? error
      : (refusal(forLeader) ?? new CallFailure(status.UNKNOWN, error instanceof Error ? error.message : ""));
  return {
    read: (call) => {
      const forLeader = needsLeader(call);
      const refused = refusal(forLeader);
      if (refused) return void call.emit("error", refused);
      const cancelled = new AbortController();
      call.once("cancelled", () => cancelled.abort());
      const options = call.request.getOptions();
      if (!options || (options.hasSubscription() && options.hasStream()))
        return void call.emit("error", new CallFailure(status.UNIMPLEMENTED, "the double subscribes to all alone"));
      const store = membership.store(forLeader);
      const messages = options.hasSubscription()
        ? subscriptionMessages(store, options, ids, cancelled.signal)
        : readMessages(store, options);
      send(call, messages, cancelled.signal).then(
        () => call.end(),
        (error: unknown) => call.emit("error", failureOf(error, forLeader)),
      );
    },
    append: (call, callback) => {
      const refused = refusal(true);
      if (refused) return callback(refused);
      append(membership.store(true), call).then(
        (answer) => callback(null, answer),
        (error: unknown) => callback(failureOf(error, true)),
      );
    },
    batchAppend: (call) => {
      const refused = refusal(true);
      if (refused) return void call.emit("error", refused);
      const appends = new BatchAppends(membership.store(true));
      call.on("data", (request) => {
        appends.take(request).then(
          (answer) => answer && call.write(answer),
          (error: unknown) => call.emit("error", failureOf(error, true)),
        );
      });
      call.once("end", () => call.end());
    },
    delete: (_call, callback) => callback(new CallFailure(status.UNIMPLEMENTED, "the double deletes nothing")),
    tombstone: (_call, callback) => callback(new CallFailure(status.UNIMPLEMENTED, "the double deletes nothing")),
  };
};

/** A server that speaks EventStoreDB's protocol over the store, on that port of the loopback, without TLS. */
export const serve = async (options: {
  store: EventStore;
  port: number;
  ids: Ids;
  /** Whether it is still starting, in which time it answers nothing else. */
  isStarting: () => boolean;
  membership?: Membership;
}): Promise<Server> => {
  const { store, port, ids, isStarting, membership = alone(store, port) } = options;
  const server = new Server();
  const refusal: Membership["refusal"] = (forLeader) => (isStarting() ? notReady() : membership.refusal(forLeader));
  server.addService(StreamsService, streamsOf(membership, ids, refusal));
  const features: IServerFeaturesServer = {
    getSupportedMethods: (_call, callback) =>
      isStarting() ? callback(notReady()) : callback(null, supportedMethods()),
  };
  server.addService(ServerFeaturesService, features);
  const gossip: IGossipServer = { read: (_call, callback) => callback(null, membership.gossip()) };
  server.addService(GossipService, gossip);
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
  return server;
};
