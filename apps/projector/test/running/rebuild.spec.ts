import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { comparePositions, type Position } from "@rubrica/event-store";
import { openEmbeddedReadModelStore, type ReadModelStore, StaleGenerationError } from "@rubrica/read-models";
import { ManualClock } from "@rubrica/runtime/testing";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ProjectionError } from "../../src/running/projection-pass.ts";
import { rebuildProjections } from "../../src/running/rebuild.ts";
import { createProjectionRunner } from "../../src/running/runner.ts";
import { at, counters, EventLine, expectedCounters, reached, storedCounters, storeWith, total } from "./given.ts";

let folder: string;
let line: EventLine;
let ending: AbortController;
let service: ReadModelStore;
let cli: ReadModelStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rubrica-rebuild-"));
  const path = join(folder, "read-models.sqlite");
  service = openEmbeddedReadModelStore({ path });
  cli = openEmbeddedReadModelStore({ path });
  line = new EventLine();
  ending = new AbortController();
});
afterEach(async () => {
  ending.abort();
  await Promise.all([service.close(), cli.close()]);
  await rm(folder, { recursive: true });
});

const runnerOn = (store: ReadModelStore, projections = [counters(), total()]) =>
  createProjectionRunner({
    projections,
    store,
    subscribe: line.subscribe,
    clock: new ManualClock(),
    onStopped: (error) => {
      throw error;
    },
  });

const rebuild = (store: ReadModelStore, projections = [counters(), total()], signal = ending.signal) =>
  rebuildProjections({ projections, store, subscribe: line.subscribe, signal });

test("a rebuild mends what is wrong, without a runner", async () => {
  line.append("a", 1, 2, 3, 4);
  const live = await service.liveGeneration(counters());
  const changes = [{ id: "a", position: at(4), document: { amounts: ["wrong"] } }];
  await service.apply([{ generation: live, changes }], at(4));
  await rebuild(cli);
  expect(await storedCounters(service, line.events)).toEqual(expectedCounters(line.events));
  expect((await service.get(total(), "all"))?.document).toEqual({ events: 4 });
});

test("a rebuild of nothing, and of no projections, is done at once", async () => {
  await rebuild(cli);
  await rebuild(cli, []);
  expect(await service.get(total(), "all")).toBeUndefined();
});

test("the runner of another process goes on with the generation that was swapped in", async () => {
  line.append("a", 1, 2, 3, 4);
  const runner = runnerOn(service);
  const running = runner.run(ending.signal);
  await runner.caughtUp();
  const before = await service.liveGeneration(total());
  await rebuild(cli);
  line.append("a", 5);
  await reached(service, at(5));
  expect(await service.liveGeneration(total())).not.toEqual(before);
  expect((await service.get(total(), "all"))?.document).toEqual({ events: 5 });
  expect(await storedCounters(cli, line.events)).toEqual(expectedCounters(line.events));
  ending.abort();
  await running;
});

test("a rebuild that comes to the end behind a live runner waits until it is level", async () => {
  line.append("a", 1);
  const runner = runnerOn(service, [total()]);
  const running = runner.run(ending.signal);
  await runner.caughtUp();
  // The live one is told of an event that the rebuild has not been given yet.
  const swaps: boolean[] = [];
  const swapIn: ReadModelStore["swapIn"] = async (generation) => {
    if (swaps.length === 0) {
      line.append("a", 2);
      await reached(service, at(2), [total()]);
    }
    const swapped = await cli.swapIn(generation);
    swaps.push(swapped);
    return swapped;
  };
  await rebuild(storeWith(cli, { swapIn }), [total()]);
  expect(swaps).toEqual([false, true]);
  expect(await service.get(total(), "all")).toEqual({ id: "all", position: at(2), document: { events: 2 } });
  ending.abort();
  await running;
});

test("whatever happens meanwhile, no event is lost or counted twice and no reader goes back", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.constantFrom("a", "b"), { maxLength: 12 }),
      async (scheduler, happens) => {
        const path = ":memory:";
        const store = openEmbeddedReadModelStore({ path });
        const events = new EventLine(2);
        events.append("a", 1, 2, 3);
        const stopping = new AbortController();
        const scheduled = storeWith(store, {
          apply: (...given) => scheduler.schedule(Promise.resolve(), "apply").then(() => store.apply(...given)),
          swapIn: (...given) => scheduler.schedule(Promise.resolve(), "swap").then(() => store.swapIn(...given)),
          load: (...given) => scheduler.schedule(Promise.resolve(), "load").then(() => store.load(...given)),
        });
        const projections = [counters(), total()];
        const runner = createProjectionRunner({
          projections,
          store: scheduled,
          subscribe: events.subscribe,
          clock: new ManualClock(),
          onStopped: (error) => {
            throw error;
          },
        });
        let seen: Position | undefined;
        let wentBack = false;
        let stale = false;
        const look = async (): Promise<void> => {
          // What a GET does: by the checkpoint the projection is this far, so the document has to be.
          const promised = await store.checkpointOf(total());
          const all = await store.get(total(), "all");
          if (promised && (!all || comparePositions(all.position, promised) < 0)) stale = true;
          if (seen && (!all || comparePositions(all.position, seen) < 0)) wentBack = true;
          seen = all?.position ?? seen;
        };
        const running = runner.run(stopping.signal);
        const rebuilding = rebuildProjections({
          projections,
          store: scheduled,
          subscribe: events.subscribe,
          signal: stopping.signal,
        });
        const happening = (async () => {
          for (const counter of happens) {
            await scheduler.schedule(Promise.resolve(), "append");
            events.append(counter, 1);
            await look();
          }
        })();
        const looking = (async () => {
          for (let times = 0; times < 20; times++) {
            await scheduler.schedule(Promise.resolve(), "look");
            await look();
          }
        })();
        await scheduler.waitFor(Promise.all([happening, looking, rebuilding, runner.caughtUp()]));
        await scheduler.waitFor(reached(store, events.last));
        await look();
        stopping.abort();
        await scheduler.waitFor(running);
        expect({ stale, wentBack }).toEqual({ stale: false, wentBack: false });
        expect((await store.get(total(), "all"))?.document).toEqual({ events: events.events.length });
        expect(await storedCounters(store, events.events)).toEqual(expectedCounters(events.events));
        await store.close();
      },
    ),
    { numRuns: 300 },
  );
});

test("a rebuild that fails or is aborted leaves the live generation as it was", async () => {
  line.append("a", 1, 2, 3, 4);
  await rebuild(cli);
  const broken = {
    ...total(),
    project: () => {
      throw new Error("cannot");
    },
  };
  await expect(rebuild(cli, [broken])).rejects.toThrow(ProjectionError);
  await expect(rebuild(cli, [total()], AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
  expect((await service.get(total(), "all"))?.document).toEqual({ events: 4 });
});

test("of two rebuilds at once the later one is done", async () => {
  line.append("a", 1, 2, 3, 4);
  const door = Promise.withResolvers<void>();
  const apply: ReadModelStore["apply"] = async (...given) => {
    await door.promise;
    return service.apply(...given);
  };
  const first = rebuild(storeWith(service, { apply }), [total()]);
  const failed = expect(first).rejects.toThrow(StaleGenerationError);
  await new Promise(setImmediate);
  await rebuild(cli, [total()]);
  door.resolve();
  await failed;
  expect((await service.get(total(), "all"))?.document).toEqual({ events: 4 });
});
