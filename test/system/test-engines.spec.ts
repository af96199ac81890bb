import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { openEventStoreDb } from "@rubrica/event-store/eventstoredb";
import { streamName } from "@rubrica/events";
import { systemClock, systemRandom, systemRuntime } from "@rubrica/runtime";
import { startEventStoreDb } from "@rubrica/test-kit/engines";
import { noteWarningsIn } from "@rubrica/test-kit/warnings";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const STORED_OVER_THE_WIRE = "packages/event-store/test/eventstoredb/store.spec.ts";

/** Runs `npm run test:engines` with a filter, as the environment of an operator names the engines. */
const testEngines = async (environment: Readonly<Record<string, string>>, filter: string) => {
  // What this run is told of itself is not the other one's.
  const { PATH, HOME } = process.env;
  const args = [join("scripts", "test-engines.ts"), filter];
  const running = spawn(process.execPath, args, { cwd: ROOT, env: { PATH, HOME, ...environment } });
  const [said, errors, [status]] = await Promise.all([
    text(running.stdout),
    text(running.stderr),
    once(running, "exit") as Promise<[number | null]>,
  ]);
  noteWarningsIn("npm run test:engines", errors);
  return { status, said, errors };
};

/** What a service leaves in an EventStoreDB. */
const storeOurs = async (url: string): Promise<void> => {
  const store = openEventStoreDb({ url, clock: systemClock, random: systemRandom, streamPrefixes: [] });
  const event = { id: systemRuntime().ids.uuidv7(), type: "Happened", data: {}, metadata: {} };
  await store.append(streamName("document", "1"), "no_stream", [event]);
  await store.close();
};

test("tests run on the engine that a URL names, say so, and do not run once a service works there", async () => {
  await using server = await startEventStoreDb();
  const environment = { EVENTSTORE_URL: server.url };
  const first = await testEngines(environment, STORED_OVER_THE_WIRE);
  expect(first.said).toMatch(
    /Calls to engines, by what answered them:\n {2}- EventStoreDB: a true one, where EVENTSTORE_URL says; in tests that break a server of their own, a double, /,
  );
  expect(first.said).toMatch(/Tests .*[1-9]\d* passed/);
  expect(first.status).toBe(0);
  await storeOurs(server.url);
  const again = await testEngines(environment, STORED_OVER_THE_WIRE);
  expect(again.errors).toMatch(/^The EventStoreDB that EVENTSTORE_URL names holds streams of Rubrica: /);
  expect(again.said).toBe("");
  expect(again.status).toBe(1);
});

test("a run is refused where engines could be stopped and not started again", async () => {
  const { status, said, errors } = await testEngines({ ENGINES_STOP: "true" }, STORED_OVER_THE_WIRE);
  expect(errors).toMatch(/^ENGINES_STOP and ENGINES_START need each other/);
  expect(said).toBe("");
  expect(status).toBe(1);
});
