import { cancelDocument, requestDocument } from "@rubrica/domain";
import type { RecordedEvent } from "@rubrica/event-store";
import { contextOf, documentIds, openWorld, requestOf } from "@rubrica/test-kit/commands";
import { expect, test, vi } from "vitest";
import { createContinuity, StreamCut } from "../src/index.ts";

const MINUTE_MS = 60_000;
const stream = `document-${documentIds.first}`;

/** A document's stream, and what is known of it. */
const opened = async () => {
  const world = openWorld();
  await world.handlers.documents.handle(
    documentIds.first,
    requestDocument,
    requestOf(documentIds.first),
    contextOf("request"),
  );
  const [requested] = await world.eventsOf("document", documentIds.first);
  const { log } = world.keys;
  const told: string[] = [];
  const readStream = vi.spyOn(world.journal.store, "readStream");
  const continuity = createContinuity({
    events: world.journal.store,
    known: log,
    clock: world.runtime.clock,
    onCut: (cut) => void told.push(cut.stream),
  });
  const note = (revision: bigint, hash = String(requested?.metadata.hash)) =>
    log.note("9:9f", [{ stream, revision, hash }]);
  return { world, log, told, continuity, note, readStream };
};

test("a stream that holds what is known of it goes on, and its chain is gone through once", async () => {
  const { world, continuity, note, readStream } = await opened();
  await using _world = world;
  await note(0n);
  await continuity.check(stream);
  await continuity.check(stream);
  expect(readStream.mock.calls).toEqual([[stream]]);
  world.runtime.clock.advance(MINUTE_MS);
  await continuity.check(stream);
  expect(readStream.mock.calls).toEqual([[stream], [stream, 0n]]);
});

test("one that is cut after it was compared does not go on, nor one of which more is known since", async () => {
  const { world, continuity, note, log, readStream } = await opened();
  await using _world = world;
  await note(0n);
  await continuity.check(stream);
  world.runtime.clock.advance(MINUTE_MS);
  readStream.mockImplementationOnce(async function* () {});
  await expect(continuity.check(stream)).rejects.toThrow(StreamCut);
  await continuity.check(stream);
  await log.note("9:9f", [{ stream, revision: 1n, hash: "9f".repeat(32) }]);
  world.runtime.clock.advance(MINUTE_MS);
  await expect(continuity.check(stream)).rejects.toThrow(StreamCut);
});

test("so does one of which nothing is known yet", async () => {
  const { world, continuity, readStream } = await opened();
  await using _world = world;
  await continuity.check(stream);
  expect(readStream).not.toHaveBeenCalled();
  expect(continuity.cut).toBe(0);
});

test.each<[string, bigint, string | undefined]>([
  ["ended earlier", 5n, undefined],
  ["was computed anew", 0n, "77".repeat(32)],
])(
  "one that %s is told of once, and does not go on until it is mended, or the loss is accepted",
  async (_what, ...known) => {
    const { world, continuity, note, log, told } = await opened();
    await using _world = world;
    await note(...known);
    await expect(continuity.check(stream)).rejects.toThrow(StreamCut);
    await expect(continuity.check(stream)).rejects.toThrow(StreamCut);
    expect([told, continuity.cut]).toEqual([[stream], 1]);
    await log.remove([stream]);
    await continuity.check(stream);
    expect(continuity.cut).toBe(0);
  },
);

test.each(["", "what came before the event"])(
  "one whose events are others, and have the known hash alone, does not go on (%s)",
  async (before) => {
    const { world, note } = await opened();
    await using _world = world;
    await world.handlers.documents.handle(
      documentIds.first,
      cancelDocument,
      { by: { accountName: "ACME", keyId: documentIds.first, keyName: null }, text: null },
      contextOf("cancel"),
    );
    const events: RecordedEvent[] = [];
    for await (const event of world.journal.store.readStream(stream)) events.push(event);
    const last = events.at(-1);
    if (!last) throw new Error("nothing is stored");
    await note(last.revision, String(last.metadata.hash));
    const readStream = async function* (_stream: string, from = 0n) {
      for (const event of events) {
        const isOther = (event.revision === last.revision) === (before === "");
        const data = isOther ? { ...event.data, data: { another: true } } : event.data;
        if (event.revision >= from) yield { ...event, data };
      }
    };
    const told: string[] = [];
    const onCut = (cut: StreamCut) => void told.push(cut.stream);
    const { clock } = world.runtime;
    const continuity = createContinuity({ events: { readStream }, known: world.keys.log, clock, onCut });
    await continuity.checkAll(new AbortController().signal);
    expect(told).toEqual(before === "" ? [stream] : []);
    await expect(continuity.check(stream)).rejects.toThrow(StreamCut);
    expect(told).toEqual([stream]);
  },
);

test("all that is known is compared in the background, whole streams that are gone among it", async () => {
  const { world, continuity, note, log, told } = await opened();
  await using _world = world;
  await note(0n);
  await log.note("9:9f", [{ stream: "document-gone", revision: 2n, hash: "9f" }]);
  await continuity.checkAll(new AbortController().signal);
  expect([told, continuity.cut]).toEqual([["document-gone"], 1]);
  await continuity.check(stream);
});
