import { type IStreamsServer, StreamsService } from "@eventstore/db-client/generated/streams_grpc_pb.js";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { CallFailure } from "./appending.ts";

/** How calls fail: a status of gRPC. */
export interface Failing {
  code: number;
  details: string;
  trailers?: Readonly<Record<string, string>>;
}

/** A server of EventStoreDB's protocol in this process, each of whose calls fails in one way. */
export interface FailingEventStoreDb extends AsyncDisposable {
  url: string;
  /** How many calls came. */
  calls(): number;
  /** From now on they fail in this way. */
  failBy(failing: Failing): void;
}

/** Has every read, subscription and append end with that status of gRPC. */
export const startFailingEventStoreDb = async (first: Failing): Promise<FailingEventStoreDb> => {
  let failure = first;
  let calls = 0;
  const fail = (): CallFailure => {
    calls += 1;
    return new CallFailure(failure.code, failure.details, failure.trailers);
  };
  const failing: IStreamsServer = {
    read: (call) => void call.emit("error", fail()),
    append: (_call, callback) => callback(fail()),
    batchAppend: (call) => void call.emit("error", fail()),
    delete: (_call, callback) => callback(fail()),
    tombstone: (_call, callback) => callback(fail()),
  };
  const server = new Server();
  server.addService(StreamsService, failing);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    calls: () => calls,
    failBy: (next) => {
      failure = next;
    },
    [Symbol.asyncDispose]: async () => server.forceShutdown(),
  };
};
