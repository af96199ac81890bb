import type { JetStreamManager, StreamConfig } from "nats";
import { expect, test } from "vitest";
import { Replicas } from "../../src/jetstream/replicas.ts";

test("a start does not fail where the servers fail to raise a stream, and says so", async () => {
  const update = () => Promise.reject(new Error("TIMEOUT"));
  const told: string[] = [];
  const manager = { streams: { update } } as unknown as JetStreamManager;
  const replicas = new Replicas(manager, undefined, (sentence) => void told.push(sentence));
  const there = { name: "there", num_replicas: 1 } as StreamConfig;
  await expect(replicas.raise(there, { name: "cluster" } as never)).resolves.toBeUndefined();
  expect(told).toEqual([
    "JetStream keeps the stream on one server and not on 3 (Error); the next start tries again. With one server alone, set NATS_REPLICAS=1.",
  ]);
});
