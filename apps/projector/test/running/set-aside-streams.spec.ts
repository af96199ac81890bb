import { comparePositions, type Position } from "@rubrica/event-store";
import type { UnreadableEvent } from "@rubrica/journal";
import {
  openEmbeddedReadModelStore,
  type Projection,
  QUARANTINE_STREAM_FIELD,
  quarantine,
  type ReadModelStore,
  setAsideIn,
} from "@rubrica/read-models";
import { ManualClock } from "@rubrica/runtime/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createProjectionRunner, type ProjectionSource, rebuildProjections } from "../../src/running/index.ts";
import { at } from "./given.ts";

interface Said {
  position: Position;
  stream: string;
  word: string;
}

/** What every stream said, and whether it was set aside; `all` counts every event. */
type Sayings = { words: string[]; setAside: boolean };
const sayings: Projection<Sayings, Said> = {
  name: "sayings",
  version: 1,
  indexes: [],
  keysOf: ({ stream }) => [stream, "all"],
  project: (document, { word }) => ({
    words: [...(document?.words ?? []), word],
    setAside: document?.setAside ?? false,
  }),
  setAside: {
    keysOf: ({ stream }) => [stream],
    project: (document) => ({ words: document?.words ?? [], setAside: true }),
  },
};
const listing = quarantine as unknown as Projection<Record<string, unknown>, Said>;
const projections = [sayings, listing] as Projection<Record<string, unknown>, Said>[];

const streams = ["document-a", "document-b", "account-c"] as const;
/** An event of a stream; `damaged` can't be read. */
type Step = { stream: (typeof streams)[number]; damaged: boolean };

const marker = (stream: string, commit: number): UnreadableEvent => ({
  id: `event-${commit}`,
  stream,
  streamKind: "document",
  streamId: stream.slice(stream.indexOf("-") + 1),
  revision: BigInt(commit),
  position: at(commit),
  reason: "its data can't be read as JSON",
  accountId: null,
  at: null,
});

/** The events as a subscription gives them, in batches. */
const sourceOf = (steps: readonly Step[], batchSize: number): ProjectionSource<Said> =>
  async function* (after, signal) {
    const all = steps.map((step, index) => ({ ...step, position: at(index + 1) }));
    let position = after;
    while (!signal.aborted) {
      const from = position;
      const some = all.filter((one) => !from || comparePositions(one.position, from) > 0).slice(0, batchSize);
      position = some.at(-1)?.position ?? position;
      yield {
        events: some
          .filter(({ damaged }) => !damaged)
          .map(({ stream, position: place }) => ({ stream, position: place, word: `word ${place.commit}` })),
        unreadable: some
          .filter(({ damaged }) => damaged)
          .map(({ stream, position: p }) => marker(stream, Number(p.commit))),
        position,
        caughtUp: position === undefined || Number(position.commit) === all.length,
      };
      if (Number(position?.commit ?? 0) === all.length)
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
    }
  };

/** Runs up to the end in a process of its own. */
const run = async (store: ReadModelStore, steps: readonly Step[], batchSize: number): Promise<void> => {
  const ending = new AbortController();
  const runner = createProjectionRunner({
    projections,
    store,
    subscribe: sourceOf(steps, batchSize),
    clock: new ManualClock(),
    onStopped: (error) => expect.unreachable(String(error)),
  });
  const running = runner.run(ending.signal);
  await runner.caughtUp();
  ending.abort();
  await running;
};

/** What each stream says up to where it was set aside. */
const expectedOf = (steps: readonly Step[]) => {
  const said = new Map<string, Sayings>();
  const all: string[] = [];
  for (const [index, { stream, damaged }] of steps.entries()) {
    const before = said.get(stream) ?? { words: [], setAside: false };
    if (before.setAside) continue;
    const word = `word ${index + 1}`;
    if (!damaged) all.push(word);
    said.set(stream, damaged ? { ...before, setAside: true } : { ...before, words: [...before.words, word] });
  }
  return { said, all };
};

const expectAsGiven = async (store: ReadModelStore, steps: readonly Step[]): Promise<void> => {
  const { said, all } = expectedOf(steps);
  expect((await store.get(sayings, "all"))?.document.words ?? []).toEqual(all);
  for (const stream of streams) {
    expect((await store.get(sayings, stream))?.document).toEqual(said.get(stream));
    const kept = (await setAsideIn(store, sayings, stream)) !== undefined;
    expect(kept).toBe(said.get(stream)?.setAside ?? false);
  }
  const listed = await store.findRange(quarantine, QUARANTINE_STREAM_FIELD, { upTo: "~", limit: 10 });
  const expected = [...said].filter(([, { setAside }]) => setAside).map(([stream]) => stream);
  expect(listed.map(({ id }) => id)).toEqual(expected.sort());
};

const mixedSteps = fc.array(
  fc.record({ stream: fc.constantFrom(...streams), damaged: fc.integer({ min: 0, max: 5 }).map((n) => n === 0) }),
  { minLength: 1, maxLength: 24 },
);

test("a stream is set aside from its first unreadable event on, whatever the batches and wherever it was restarted", async () => {
  const cases = fc.record({
    steps: mixedSteps,
    cut: fc.nat(24),
    first: fc.integer({ min: 1, max: 7 }),
    second: fc.integer({ min: 1, max: 7 }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ steps, cut, first, second }) => {
      const store = openEmbeddedReadModelStore({ path: ":memory:" });
      if (cut > 0) await run(store, steps.slice(0, cut), first);
      await run(store, steps, second);
      await expectAsGiven(store, steps);
      await store.close();
    }),
  );
});

test("what was mended is there again once its projections are built anew, all of it, and what comes then", async () => {
  await fc.assert(
    fc.asyncProperty(mixedSteps, mixedSteps, async (steps, later) => {
      const store = openEmbeddedReadModelStore({ path: ":memory:" });
      await run(store, steps, 3);
      const mended = steps.map((step) => ({ ...step, damaged: false }));
      const { signal } = new AbortController();
      await rebuildProjections({ projections, store, subscribe: sourceOf(mended, 4), signal });
      await expectAsGiven(store, mended);
      await run(store, [...mended, ...later], 2);
      await expectAsGiven(store, [...mended, ...later]);
      await store.close();
    }),
    { numRuns: 50 },
  );
});

test("one collection built anew by itself knows by itself what it has set aside", async () => {
  const store = openEmbeddedReadModelStore({ path: ":memory:" });
  const steps: Step[] = [
    { stream: "document-a", damaged: false },
    { stream: "document-a", damaged: true },
    { stream: "document-a", damaged: false },
  ];
  await run(store, steps, 2);
  const mended = steps.map((step) => ({ ...step, damaged: false }));
  const { signal } = new AbortController();
  await rebuildProjections({ projections: [sayings] as never, store, subscribe: sourceOf(mended, 2), signal });
  expect(await setAsideIn(store, sayings, "document-a")).toBeUndefined();
  expect(await setAsideIn(store, quarantine, "document-a")).toMatchObject({ revision: "2" });
  await run(store, [...mended, { stream: "document-a", damaged: false }], 2);
  expect((await store.get(sayings, "document-a"))?.document.words).toHaveLength(4);
  await store.close();
});
