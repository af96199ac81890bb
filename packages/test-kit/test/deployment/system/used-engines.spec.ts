import { openEventStoreDb } from "@rubrica/event-store/eventstoredb";
import { streamName } from "@rubrica/events";
import { openJetStreamMessageBus } from "@rubrica/message-bus/jetstream";
import { systemClock, systemRandom, systemRuntime } from "@rubrica/runtime";
import { expect, test } from "vitest";
import { whyInUse } from "../../../src/deployment/index.ts";
import { hasNatsServer, startEventStoreDb, startNatsServer } from "../../../src/engines/index.ts";

test("tests refuse an EventStoreDB that holds a stream of ours, and take one with others' streams", async () => {
  await using server = await startEventStoreDb();
  const store = openEventStoreDb({ url: server.url, clock: systemClock, random: systemRandom, streamPrefixes: [] });
  const { ids } = systemRuntime();
  const append = (stream: string) =>
    store.append(stream, "no_stream", [{ id: ids.uuidv7(), type: "Happened", data: {}, metadata: {} }]);
  await append("others-1");
  expect(await whyInUse({ EVENTSTORE_URL: server.url })).toBeUndefined();
  await append(streamName("document", "1"));
  expect(await whyInUse({ EVENTSTORE_URL: server.url })).toMatch(/^The EventStoreDB that EVENTSTORE_URL names holds/);
  await store.close();
});

test.skipIf(!hasNatsServer())("tests refuse a NATS that has our stream", async () => {
  await using server = await startNatsServer();
  expect(await whyInUse({ NATS_URL: server.url })).toBeUndefined();
  const bus = await openJetStreamMessageBus({ url: server.url, clock: systemClock, onError: () => {} });
  await bus.close();
  expect(await whyInUse({ NATS_URL: server.url })).toMatch(/^The NATS that NATS_URL names has a stream rubrica/);
});

test("nothing is looked at where no URL names an engine", async () => {
  expect(await whyInUse({})).toBeUndefined();
});
