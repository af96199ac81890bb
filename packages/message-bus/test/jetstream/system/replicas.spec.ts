import { systemClock } from "@rubrica/runtime";
import { eventually } from "@rubrica/test-kit";
import {
  askJetStream,
  hasNatsServer,
  type NatsCluster,
  type NatsProcess,
  startNatsCluster,
  startNatsServer,
} from "@rubrica/test-kit/engines";
import type { StreamConfig, StreamInfo } from "nats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openJetStreamMessageBus } from "../../../src/jetstream/bus.ts";

const KEPT_ON_ONE = expect.stringMatching(
  /^JetStream keeps the stream on one server and not on 3 \(.+\); the next start/,
);

/** What is said of a request that nobody answered in time, as while a cluster elects. */
const UNANSWERED = /TIMEOUT|nobody answers|temporarily unavailable/;

/** Opens and closes a bus, as a start does; what it told the operator. Starts again where servers did not answer. */
const started = (url: string, stream: string, replicas?: number): Promise<string[]> =>
  eventually("the servers answer a start", async () => {
    const reported = await startedOnce(url, stream, replicas);
    return reported.some((sentence) => UNANSWERED.test(sentence)) ? undefined : reported;
  });

const startedOnce = async (url: string, stream: string, replicas?: number): Promise<string[]> => {
  const reported: string[] = [];
  const onWarning = (sentence: string) => void reported.push(sentence);
  const bus = await openJetStreamMessageBus({
    url,
    clock: systemClock,
    onError: () => {},
    onWarning,
    stream,
    replicas,
  });
  await bus.close();
  return reported;
};

const infoOf = (url: string, stream: string, change?: Partial<StreamConfig>): Promise<StreamInfo> =>
  askJetStream({ servers: url.split(",").map((one) => one.replace("nats://", "")) }, ({ streams }) =>
    change ? streams.add({ name: stream, ...change }) : streams.info(stream),
  );
const asked = async (...args: Parameters<typeof infoOf>) => (await infoOf(...args)).config.num_replicas;

describe.skipIf(!hasNatsServer())("on one server", () => {
  let server: NatsProcess;
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  test("a stream is on one, which is said at each start", async () => {
    expect(await started(server.url, "alone")).toEqual([KEPT_ON_ONE]);
    expect(await started(server.url, "alone")).toEqual([KEPT_ON_ONE]);
    expect(await asked(server.url, "alone")).toBe(1);
  });

  test("where the operator wants more, each start says that it is on one, and who raises it", async () => {
    const told = expect.stringMatching(
      /^JetStream keeps the stream on one server and not on 3 .+: raise it yourself\./,
    );
    expect(await started(server.url, "wanted", 3)).toEqual([told]);
    expect(await started(server.url, "wanted", 3)).toEqual([told]);
  });

  test("nothing is said where the operator wants one", async () => {
    expect(await started(server.url, "meant", 1)).toEqual([]);
    expect(await started(server.url, "meant", 1)).toEqual([]);
  });
});

describe.skipIf(!hasNatsServer())("on a cluster of three", () => {
  let cluster: NatsCluster;
  beforeAll(async () => {
    cluster = await startNatsCluster();
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test("a new stream is on three, or on as many as the operator says", async () => {
    expect(await started(cluster.url, "new")).toEqual([]);
    expect(await asked(cluster.url, "new")).toBe(3);
    expect(await started(cluster.url, "chosen", 1)).toEqual([]);
    expect(await asked(cluster.url, "chosen")).toBe(1);
  });

  test("one that is there is raised from one, unless the operator says a number, and never lowered", async () => {
    const there = (name: string, num_replicas: number) =>
      asked(cluster.url, name, { subjects: [`${name}.>`], num_replicas, retention: "interest" as never });
    await there("raised", 1);
    expect(await started(cluster.url, "raised", 1)).toEqual([]);
    expect(await asked(cluster.url, "raised")).toBe(1);
    expect(await started(cluster.url, "raised")).toEqual([]);
    expect(await asked(cluster.url, "raised")).toBe(3);
    expect(await started(cluster.url, "raised", 1)).toEqual([]);
    expect(await asked(cluster.url, "raised")).toBe(3);
    await there("chosen-three", 1);
    const told = expect.stringMatching(/not on 3 \(it was there before\); where NATS_REPLICAS is set/);
    expect(await started(cluster.url, "chosen-three", 3)).toEqual([told]);
    expect(await asked(cluster.url, "chosen-three")).toBe(1);
    await there("two", 2);
    expect(await started(cluster.url, "two")).toEqual([]);
    expect(await asked(cluster.url, "two")).toBe(2);
  });

  test("where there are too few servers, a stream is on one, and the operator is told", async () => {
    const told = expect.stringMatching(
      /^JetStream keeps the stream on one server and not on 5 \(.+\); where NATS_REPLICAS/,
    );
    expect(await started(cluster.url, "five", 5)).toEqual([told]);
    expect(await asked(cluster.url, "five")).toBe(1);
  });

  test("with a server down a start does not fail, and once it is back the streams are on three", async () => {
    await started(cluster.url, "before", 1);
    // Where the only server that keeps a stream is down, nobody has it.
    const keeper = (await infoOf(cluster.url, "before")).cluster?.leader;
    const down = cluster.servers.find((_, number) => keeper !== `n${number}`);
    await down?.kill();
    // Versions differ in whether the others count on one that is gone: they take the number, or refuse it.
    for (const name of ["before", "during"]) {
      const reported = await started(cluster.url, name);
      expect([[], [KEPT_ON_ONE]]).toContainEqual(reported);
    }
    await down?.start();
    for (const name of ["before", "during"])
      await eventually("it is raised", async () => {
        await started(cluster.url, name);
        return (await asked(cluster.url, name)) === 3;
      });
  });
});
