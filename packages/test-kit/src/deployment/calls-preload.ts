// Preloaded into an app (`node --import`) whose calls to its engines are counted: writes them, soon after each, to a file
// of the folder that RUBRICA_CALLS names. It finds the drivers where the app does, and knows what they are inside.
import type { EventEmitter } from "node:events";
import { renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js";
import { systemClock } from "@rubrica/runtime";
import type { CountedCalls } from "./calls.ts";

const folder = process.env.RUBRICA_CALLS;
const app = /apps\/([a-z-]+)\/src\/main/.exec(process.argv[1] ?? "")?.[1];
const require = createRequire(import.meta.url);
const counted: CountedCalls = {};
/** As the protocol has it (`ReadReq.Options.ReadDirection`). */
const BACKWARDS = 1;
let isToBeTold = false;

const tell = (): void => {
  if (isToBeTold || folder === undefined) return;
  isToBeTold = true;
  setImmediate(() => {
    isToBeTold = false;
    const path = join(folder, `${app}-${process.pid}.json`);
    // Whoever reads it finds all of it.
    writeFileSync(`${path}.new`, JSON.stringify(counted));
    renameSync(`${path}.new`, path);
  });
};

/** Counts a call; gives what is to be told of its end. */
const count = (call: string): (() => void) => {
  const begunMs = systemClock.monotonicMs();
  const { count, ms } = counted[call] ?? { count: 0, ms: 0 };
  counted[call] = { count: count + 1, ms };
  tell();
  return () => {
    const known = counted[call];
    if (known) known.ms += systemClock.monotonicMs() - begunMs;
    tell();
  };
};

type Method = (this: unknown, ...given: unknown[]) => unknown;

/** Puts a method of our own in the place of another, which it is given. */
const inPlaceOf = (of: object, method: string, make: (original: Method) => Method): void =>
  void Reflect.set(of, method, make(Reflect.get(of, method) as Method));

const toldTo = (ended: () => void, callback: Method): Method =>
  function (this: unknown, ...result: unknown[]) {
    ended();
    return callback.apply(this, result);
  };

/** What is asked of EventStoreDB: of which kind of streams, or of all of them, and whether it is followed. */
const readKind = (request: ReadReq): string => {
  const options = request.getOptions();
  const name = options?.getStream()?.getStreamIdentifier()?.getStreamName_asU8();
  const what = name ? Buffer.from(name).toString().replace(/-.*/s, "") : "all";
  if (options?.hasSubscription()) return `follow ${what}`;
  const isBackwards = options?.getReadDirection() === BACKWARDS;
  return `read ${what}${isBackwards ? " backwards" : ""}`;
};

/** A call ends with its callback, where it has one, or else when all of its answer was read. */
const countEventStoreDb = (): void => {
  const { StreamsClient, StreamsService } = require("@eventstore/db-client/generated/streams_grpc_pb") as {
    StreamsClient: { prototype: object };
    StreamsService: object;
  };
  const counting =
    (name: string) =>
    (original: Method): Method =>
      function (this: unknown, ...given: unknown[]) {
        const ended = count(`EventStoreDB ${name === "read" ? readKind(given[0] as ReadReq) : name}`);
        const telling = given.map((one) => (typeof one === "function" ? toldTo(ended, one as Method) : one));
        const call = original.apply(this, telling) as EventEmitter;
        call.once("end", ended);
        return call;
      };
  for (const method of Object.keys(StreamsService)) inPlaceOf(StreamsClient.prototype, method, counting(method));
};

/** A command's first key is its name, which has the collection's; of a read model's that ends in its generation. */
const countMongoDb = (): void => {
  const { Connection } = require("mongodb/lib/cmap/connection") as { Connection: { prototype: object } };
  inPlaceOf(
    Connection.prototype,
    "command",
    (original) =>
      async function (this: unknown, ...given: unknown[]) {
        const [[name, collection] = []] = Object.entries(given[1] as object);
        // By this the driver looks every ten seconds whether the server is there.
        if (name === "hello") return original.apply(this, given);
        const kind = String(collection).replace(/^(readModel\.[\w-]+)\..*/, "$1");
        const ended = count(`MongoDB ${name}${typeof collection === "string" ? ` ${kind}` : ""}`);
        try {
          return await original.apply(this, given);
        } finally {
          ended();
        }
      },
  );
};

/** Of JetStream's API the operation; of others' subjects what they are for. */
const subjectKind = (subject: string): string => {
  if (subject.startsWith("$JS.API."))
    return subject
      .split(".")
      .slice(2, 5)
      .filter((part) => /^[A-Z]+$/.test(part))
      .join(".");
  return subject.startsWith("$JS.ACK.") ? "ack" : "publish";
};

/** What is sent; the client waits for most answers elsewhere. */
const countNats = (): void => {
  const { ProtocolHandler } = require("nats/lib/nats-base-client/protocol") as {
    ProtocolHandler: { prototype: object };
  };
  inPlaceOf(
    ProtocolHandler.prototype,
    "publish",
    (original) =>
      function (this: unknown, ...given: unknown[]) {
        const kind = subjectKind(String(given[0]));
        // By this a consumer waits for what comes, anew every 30 s: how often depends on how long a life takes.
        if (kind !== "CONSUMER.MSG.NEXT") count(`NATS ${kind}`);
        return original.apply(this, given);
      },
  );
};

if (isMainThread && app !== undefined) for (const counting of [countEventStoreDb, countMongoDb, countNats]) counting();
