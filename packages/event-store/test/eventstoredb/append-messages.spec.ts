import { WrongExpectedVersionError } from "@eventstore/db-client";
import { type EventStoreDbProcess, startEventStoreDb } from "@rubrica/test-kit/engines";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { AppendAnswer } from "../../src/eventstoredb/append-messages.ts";
import { SteadyClient } from "../../src/eventstoredb/client.ts";
import { anEvent, freshStream, someEvents } from "../helpers/events.ts";
import { openEventStoreDbAt } from "../helpers/eventstoredb.ts";

const versions = { streamName: "a", expected: "no_stream", current: 2n } as never;

/** What a server may say to an append that it has, and does not know again: its memory of ids is best effort. */
const ANSWERS: readonly [string, () => Promise<AppendAnswer>][] = [
  ["a conflict", () => Promise.resolve({ outcome: "conflict", actual: 2n })],
  ["a conflict, as an error", () => Promise.reject(new WrongExpectedVersionError(null as never, versions))],
  ["that it has it, and not where", () => Promise.resolve({ outcome: "appended", revision: 1n, position: undefined })],
];

describe("an append that is sent again", () => {
  let server: EventStoreDbProcess;
  beforeAll(async () => {
    server = await startEventStoreDb();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(ANSWERS)("is answered as before, by what is stored, where the server says %s", async (_what, answer) => {
    const store = openEventStoreDbAt(server.url);
    const stream = freshStream();
    const events = someEvents(2);
    const first = await store.append(stream, "no_stream", events);
    // Somebody has gone on since.
    await store.append(stream, 1n, someEvents(1));
    vi.spyOn(SteadyClient.prototype, "append").mockImplementation(answer);
    expect(await store.append(stream, "no_stream", events)).toEqual(first);
    await store.close();
  });

  test("is a conflict where others are stored in its place", async () => {
    const store = openEventStoreDbAt(server.url);
    const stream = freshStream();
    const [mine, other] = [anEvent(), anEvent()];
    await store.append(stream, "no_stream", [other]);
    await expect(store.append(stream, "no_stream", [mine])).rejects.toMatchObject({
      name: "ConflictError",
      actual: 0n,
    });
    await expect(store.append(stream, "no_stream", [other, mine])).rejects.toMatchObject({ name: "ConflictError" });
    await store.close();
  });
});
