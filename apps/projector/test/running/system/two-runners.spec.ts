import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbeddedReadModelStore, type Projection, type ReadModelStore } from "@rubrica/read-models";
import fc from "fast-check";
import { expect, test } from "vitest";
import { rebuildProjections } from "../../../src/running/rebuild.ts";
import { createProjectionRunner } from "../../../src/running/runner.ts";
import { type Counted, counters, EventLine, reached, storeWith, total } from "../given.ts";

/** Who is in each room: above zero they come, below they go. Each has a record of their own. */
const rooms: Projection<{ name: string; people: number[] }, Counted> = {
  name: "rooms",
  version: 1,
  indexes: [{ field: "key" }],
  keysOf: ({ counter }) => [counter],
  project: (room, { counter, amount }) => {
    const others = (room?.people ?? []).filter((person) => person !== Math.abs(amount));
    return { name: counter, people: amount > 0 ? [...others, amount] : others };
  },
  partsOf: ({ name, people }) => people.map((one) => ({ id: `${name}/${one}`, document: { key: `${name}/${one}` } })),
};
const projections = [counters(), total(), rooms];
const names = ["a", "b"];

/** All that is kept. */
const contentOf = async (store: ReadModelStore) => ({
  counters: await Promise.all(names.map((name) => store.get(counters(), name))),
  total: await store.get(total(), "all"),
  rooms: await Promise.all(names.map((name) => store.get(rooms, name))),
  people: (await store.findRange(rooms, "key", { upTo: "~", limit: 1_000 })).map(({ id, document }) => [id, document]),
});

const rebuilt = async (line: EventLine) => {
  const store = openEmbeddedReadModelStore({ path: ":memory:" });
  await rebuildProjections({ projections, store, subscribe: line.subscribe, signal: new AbortController().signal });
  const content = await contentOf(store);
  await store.close();
  return content;
};

/** Nothing is waited for: what failed is tried again at once. */
const impatient = { now: () => 0, monotonicMs: () => 0, wait: () => new Promise<void>(setImmediate) };

/** A process that projects, until it dies: whatever it was doing then happens, or does not. */
const projector = (path: string, line: EventLine, scheduler: fc.Scheduler) => {
  const ending = new AbortController();
  const kept = openEmbeddedReadModelStore({ path });
  const alive = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
    await scheduler.schedule(Promise.resolve(), what);
    if (ending.signal.aborted) throw new Error("dead");
    const done = await act();
    await scheduler.schedule(Promise.resolve(), `${what} answered`);
    return done;
  };
  const store = storeWith(kept, {
    load: (...given) => alive("load", () => kept.load(...given)),
    apply: (...given) => alive("apply", () => kept.apply(...given)),
  });
  const unexpected: unknown[] = [];
  const runner = createProjectionRunner<Counted>({
    projections,
    store,
    subscribe: line.subscribe,
    clock: impatient,
    onStopped: (error) => unexpected.push(error),
  });
  const running = runner.run(ending.signal);
  return {
    kept,
    async die() {
      ending.abort();
      await running;
      await kept.close();
      expect(unexpected).toEqual([]);
    },
  };
};

test("two that project into one store, with crashes, leave what a rebuild makes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rubrica-two-runners-"));
  let runs = 0;
  const amount = fc.constantFrom(1, -1, 2);
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ name: fc.constantFrom(...names), amounts: fc.array(amount, { maxLength: 4 }) }),
    },
    { weight: 1, arbitrary: fc.constantFrom("first dies", "second dies") },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(step, { maxLength: 20 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 6 }),
      async (scheduler, steps, firstBatch, secondBatch) => {
        const path = join(folder, `${runs++}.sqlite`);
        const lines = [new EventLine(firstBatch), new EventLine(secondBatch)] as const;
        const projectors = lines.map((line) => projector(path, line, scheduler));
        const replace = async (index: 0 | 1): Promise<void> => {
          await projectors[index]?.die();
          projectors[index] = projector(path, lines[index], scheduler);
        };
        const happening = (async () => {
          for (const next of steps) {
            await scheduler.schedule(Promise.resolve(), "step");
            if (next === "first dies") await replace(0);
            else if (next === "second dies") await replace(1);
            else for (const line of lines) line.append(next.name, ...next.amounts);
          }
        })();
        await scheduler.waitFor(happening);
        const [first, second] = projectors;
        if (!first || !second) throw new Error("two of them run");
        if (lines[0].events.length > 0) await scheduler.waitFor(reached(first.kept, lines[0].last, projections));
        const content = await contentOf(first.kept);
        await scheduler.waitFor(Promise.all([first.die(), second.die()]));
        expect(content).toEqual(await rebuilt(lines[0]));
      },
    ),
    { numRuns: 150 },
  );
  await rm(folder, { recursive: true });
});
