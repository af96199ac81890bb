import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { systemClock } from "@rubrica/runtime";
import { eventually, followWarningsOf } from "@rubrica/test-kit";
import { askJetStream, hasNatsServer, type NatsProcess, startNatsServer } from "@rubrica/test-kit/engines";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  BusFullError,
  type BusMessage,
  type Consumption,
  type HandlingFailure,
  type MessageBus,
} from "../../../src/index.ts";
import { type JetStreamOptions, openJetStreamMessageBus } from "../../../src/jetstream/bus.ts";

const ACK_WAIT_MS = 2_000;
/** Nothing is delivered again before, however long this process stands still. */
const NEVER_AGAIN_MS = 600_000;

describe.skipIf(!hasNatsServer())("JetStream, when something fails", () => {
  let server: NatsProcess;
  let stream: string;
  let streams = 0;
  let ending: AbortController;
  let consumers: Promise<void>[];
  let buses: MessageBus[];
  let failures: HandlingFailure[];
  let got: string[];

  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    stream = `faults-${++streams}`;
    ending = new AbortController();
    [consumers, buses, failures, got] = [[], [], [], []];
  });
  afterEach(async () => {
    ending.abort();
    await Promise.all(consumers);
    for (const bus of buses) await bus.close();
  });

  const open = async (options: Partial<JetStreamOptions> = {}): Promise<MessageBus> => {
    const onError = (failure: HandlingFailure) => void failures.push(failure);
    const bus = await openJetStreamMessageBus({ url: server.url, clock: systemClock, onError, stream, ...options });
    buses.push(bus);
    return bus;
  };
  const message = (id: string, subject = "s"): BusMessage => ({ id, subject, body: { number: id } });
  const consume = (bus: MessageBus, more: Partial<Consumption> = {}): void => {
    const handle = async ({ id }: BusMessage) => void got.push(id);
    const all = {
      subject: "s",
      group: "g",
      concurrency: 4,
      ackWaitMs: ACK_WAIT_MS,
      signal: ending.signal,
      handle,
      ...more,
    };
    consumers.push(bus.consume(all));
  };
  /** As its obligation would: again, with the same id, until it is taken. */
  const publishAtLast = (bus: MessageBus, one: BusMessage): Promise<true> =>
    eventually(`${one.id} is published`, () =>
      bus
        .publish(one)
        .then(() => true as const)
        .catch(() => undefined),
    );
  const all = (count: number) => Array.from({ length: count }, (_, number) => `${number}`);
  const gotAll = (ids: readonly string[]) => eventually("all are handled", () => ids.every((id) => got.includes(id)));
  const deleteStream = (): Promise<void> => server.deleteStream(stream);

  const consumerIsThere = () =>
    eventually("the group's consumer is there again", async () => {
      const servers = { servers: server.url.replace("nats://", "") };
      const listed = await askJetStream(servers, ({ consumers }) => consumers.list(stream).next()).catch(() => []);
      return listed.length === 1;
    });

  test("a server that is killed under load and started again loses nothing that was published", async () => {
    const bus = await open();
    consume(bus);
    const ids = all(200);
    const publishing = (async () => {
      for (const id of ids) await publishAtLast(bus, message(id));
    })();
    await eventually("some are handled", () => got.length >= 20);
    await server.kill();
    await server.start();
    await publishing;
    await gotAll(ids);
  });

  test("while the server is gone calls end within a bound, with an error that names no credentials", async () => {
    const bus = await open({ url: server.url.replace("nats://", "nats://somebody:hidden@") });
    await server.kill();
    try {
      const error = await bus.publish(message("1")).then(
        () => undefined,
        (reason: Error) => reason,
      );
      expect(error?.message).toContain("could not be published");
      expect(String(error?.stack)).not.toContain("hidden");
      await expect(bus.ping()).rejects.toThrow("can't be used");
      await bus.close();
    } finally {
      await server.start();
    }
  });

  test("a server that stands still holds nobody up for longer than a bound, and all goes on with it", async () => {
    const bus = await open();
    consume(bus);
    await bus.publish(message("before"));
    await gotAll(["before"]);
    await server.silence();
    try {
      await expect(bus.publish(message("meanwhile"))).rejects.toThrow("could not be published");
      await expect(bus.ping()).rejects.toThrow();
    } finally {
      server.signal("SIGCONT");
    }
    await publishAtLast(bus, message("meanwhile"));
    await publishAtLast(bus, message("after"));
    await gotAll(["meanwhile", "after"]);
  });

  test("a stream that is deleted in mid-run is made anew by who publishes, and its consumers go on", async () => {
    const [publisher, subscriber] = [await open(), await open()];
    consume(subscriber);
    await publisher.publish(message("before"));
    await gotAll(["before"]);
    await deleteStream();
    let published = 0;
    await eventually("something is handled again", async () => {
      await publishAtLast(publisher, message(`after-${++published}`));
      return got.some((id) => id.startsWith("after"));
    });
    await publisher.publish(message("last"));
    await gotAll(["last"]);
  });

  test("a stream that is deleted while nothing is published is made anew by who consumes", async () => {
    const bus = await open();
    consume(bus);
    await bus.publish(message("before"));
    await gotAll(["before"]);
    await deleteStream();
    await consumerIsThere();
    await bus.publish(message("after"));
    await gotAll(["after"]);
  });

  test("a stream that has lost its files, and takes nothing any more, is made anew", async () => {
    const bus = await open();
    consume(bus);
    await bus.publish(message("before"));
    await gotAll(["before"]);
    server.loseFiles(stream);
    let published = 0;
    await eventually("something is handled again", async () => {
      await publishAtLast(bus, message(`after-${++published}`));
      return got.some((id) => id.startsWith("after"));
    });
  });

  test("a stream that has lost what waits in it, and takes more all the same, is made anew", async () => {
    const bus = await open();
    await bus.publish(message("lost"));
    server.loseFiles(stream);
    consume(bus);
    let published = 0;
    await eventually("something is handled again", async () => {
      await publishAtLast(bus, message(`after-${++published}`));
      return got.some((id) => id.startsWith("after"));
    });
  });

  test("what was in hand when its stream was made anew acknowledges nothing of the new one", async () => {
    const [bus, other] = [await open(), await open()];
    const door = Promise.withResolvers<void>();
    const handle: Consumption["handle"] = async ({ id }, { number }) => {
      got.push(id);
      if (id === "old") await door.promise;
      else if (number === 1) await new Promise(() => {});
    };
    consume(bus, { concurrency: 1, ackWaitMs: 5_000, handle });
    await bus.publish(message("old"));
    await gotAll(["old"]);
    await deleteStream();
    await other.ping();
    consume(other, { ackWaitMs: 5_000, handle });
    await consumerIsThere();
    await other.publish(message("new"));
    await gotAll(["new"]);
    door.resolve();
    await eventually("the new one is delivered again", () => got.filter((id) => id === "new").length === 2);
  });

  test("what a process had in hand when it was killed is handled by another one", async () => {
    const bus = await open();
    const program = join(import.meta.dirname, "..", "..", "hang-on-message.ts");
    const execArgv = ["--trace-warnings"];
    const child = fork(program, [server.url, stream, String(ACK_WAIT_MS)], { execArgv, silent: true });
    followWarningsOf("hanging process", child, true);
    try {
      await bus.publish(message("1"));
      await bus.publish(message("2"));
      for (let taken = 0; taken < 2; taken++) await once(child, "message");
      consume(bus);
      expect(got).toEqual([]);
    } finally {
      child.kill("SIGKILL");
    }
    await gotAll(["1", "2"]);
    expect(got.toSorted()).toEqual(["1", "2"]);
  });

  test("an id that several processes publish is delivered once", async () => {
    const [one, other, subscriber] = [await open(), await open(), await open()];
    const ids = all(50);
    await Promise.all(ids.flatMap((id) => [one.publish(message(id)), other.publish(message(id))]));
    consume(subscriber, { ackWaitMs: NEVER_AGAIN_MS });
    await publishAtLast(one, message("last"));
    await gotAll([...ids, "last"]);
    expect(got).toHaveLength(51);
  });

  test("several processes that start at once make one stream and one consumer", async () => {
    const opened = await Promise.all(all(5).map(() => open()));
    for (const bus of opened) consume(bus, { ackWaitMs: NEVER_AGAIN_MS });
    for (const [number, bus] of opened.entries()) await bus.publish(message(`${number}`));
    await gotAll(all(5));
    expect(got).toHaveLength(5);
  });

  test("a full subject refuses, no other does, and takes the same message once there is room", async () => {
    const bus = await open({ maxWaiting: 2 });
    for (const id of ["1", "2"]) await bus.publish(message(id));
    await expect(bus.publish(message("3"))).rejects.toThrow(BusFullError);
    await bus.publish(message("4", "t"));
    consume(bus);
    await gotAll(["1", "2"]);
    await publishAtLast(bus, message("3"));
    await gotAll(["3"]);
  });

  test("what is silent again and again is over after five deliveries, and makes room", async () => {
    const bus = await open({ maxWaiting: 1 });
    consume(bus, {
      ackWaitMs: 100,
      handle: async ({ id }) => {
        got.push(id);
        await new Promise(() => {});
      },
    });
    await bus.publish(message("1"));
    await eventually("it was delivered five times", () => failures.length >= 5);
    await publishAtLast(bus, message("2"));
    await gotAll(["2"]);
    expect(got.filter((id) => id === "1")).toHaveLength(5);
  });

  test("limits that a newer release changes are brought up to date", async () => {
    const before = await open({ maxWaiting: 1 });
    await before.publish(message("1"));
    await expect(before.publish(message("2"))).rejects.toThrow(BusFullError);
    const after = await open({ maxWaiting: 10 });
    await after.publish(message("2"));
    consume(after);
    await gotAll(["1", "2"]);
  });

  test("a server without what was asked for is named without what opens it", async () => {
    await expect(open({ url: "nats://somebody:hidden@" })).rejects.toThrow("it is not a nats:// or tls:// URL");
    await expect(open({ url: "amqp://somebody:hidden@here" })).rejects.not.toThrow("hidden");
    const nowhere = open({ url: "nats://somebody:hidden@127.0.0.1:1" });
    await expect(nowhere).rejects.toThrow(/^The message bus \(nats:\/\/127\.0\.0\.1:1\) can't be reached: /);
  });
});
