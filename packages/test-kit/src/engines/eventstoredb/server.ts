import { once } from "node:events";
import { GossipService, type IGossipServer } from "@eventstore/db-client/generated/gossip_grpc_pb.js";
import {
  type IServerFeaturesServer,
  ServerFeaturesService,
} from "@eventstore/db-client/generated/serverfeatures_grpc_pb.js";
import { type IStreamsServer, StreamsService } from "@eventstore/db-client/generated/streams_grpc_pb.js";
import type { ReadReq, ReadResp } from "@eventstore/db-client/generated/streams_pb.js";
import { Server, ServerCredentials, type ServerWritableStream, status } from "@grpc/grpc-js";
import type { EventStore } from "@rubrica/event-store";
import type { Ids } from "@rubrica/runtime";
import { append, CallFailure } from "./appending.ts";
import { BatchAppends } from "./batch-appending.ts";
import { clusterOfOne, supportedMethods } from "./cluster.ts";
import { readMessages } from "./reading.ts";
import { subscriptionMessages } from "./subscribing.ts";

/** Whether it is still starting, in which time it answers nothing else. */
type IsStarting = () => boolean;

const notReady = () => new CallFailure(status.UNKNOWN, "Server Is Not Ready");

const asFailure = (error: unknown): CallFailure =>
  error instanceof CallFailure ? error : new CallFailure(status.UNKNOWN, error instanceof Error ? error.message : "");

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

const streamsOver = (store: EventStore, ids: Ids, isStarting: IsStarting): IStreamsServer => ({
  read: (call) => {
    if (isStarting()) return void call.emit("error", notReady());
    const cancelled = new AbortController();
    call.once("cancelled", () => cancelled.abort());
    const options = call.request.getOptions();
    if (!options || (options.hasSubscription() && options.hasStream()))
      return void call.emit("error", new CallFailure(status.UNIMPLEMENTED, "the double subscribes to all alone"));
    const messages = options.hasSubscription()
      ? subscriptionMessages(store, options, ids, cancelled.signal)
      : readMessages(store, options);
    send(call, messages, cancelled.signal).then(
      () => call.end(),
      (error: unknown) => call.emit("error", asFailure(error)),
    );
  },
  append: (call, callback) => {
    if (isStarting()) return callback(notReady());
    append(store, call).then(
      (answer) => callback(null, answer),
      (error: unknown) => callback(asFailure(error)),
    );
  },
  batchAppend: (call) => {
    if (isStarting()) return void call.emit("error", notReady());
    const appends = new BatchAppends(store);
    call.on("data", (request) => {
      appends.take(request).then(
        (answer) => answer && call.write(answer),
        (error: unknown) => call.emit("error", asFailure(error)),
      );
    });
    call.once("end", () => call.end());
  },
  delete: (_call, callback) => callback(new CallFailure(status.UNIMPLEMENTED, "the double deletes nothing")),
  tombstone: (_call, callback) => callback(new CallFailure(status.UNIMPLEMENTED, "the double deletes nothing")),
});

/** A server that speaks EventStoreDB's protocol over the store, on that port of the loopback, without TLS. */
export const serve = async (options: {
  store: EventStore;
  port: number;
  ids: Ids;
  isStarting: IsStarting;
}): Promise<Server> => {
  const { store, port, ids, isStarting } = options;
  const server = new Server();
  server.addService(StreamsService, streamsOver(store, ids, isStarting));
  const features: IServerFeaturesServer = {
    getSupportedMethods: (_call, callback) =>
      isStarting() ? callback(notReady()) : callback(null, supportedMethods()),
  };
  server.addService(ServerFeaturesService, features);
  const gossip: IGossipServer = { read: (_call, callback) => callback(null, clusterOfOne(port)) };
  server.addService(GossipService, gossip);
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
  return server;
};
