import type { Position } from "@rubrica/event-store";
import { derivedId } from "@rubrica/events";
import type { JournalBatch, JournalEvent } from "@rubrica/journal";
import { ManualClock } from "@rubrica/runtime/testing";
import { eventually } from "@rubrica/test-kit";
import { History } from "@rubrica/test-kit/history";
import { expect, test } from "vitest";
import { accounts, ProjectorBehindError, TailedRecords } from "../src/index.ts";

const MAX_EVENTS_HELD = 10;
const idOf = (number: number) => derivedId("account", String(number));

/** Accounts that were opened one after the other, of which the projector has come to some. */
const openWorld = (count: number) => {
  const history = new History();
  for (let number = 0; number < count; number++)
    history.add("AccountOpened", { data: { accountId: idOf(number) } }, { kind: "account", id: idOf(number) });
  const { events } = history;
  const clock = new ManualClock();
  let projected: Position | undefined;
  const isProjected = ({ position }: JournalEvent) => projected !== undefined && position.commit <= projected.commit;
  const subscribe = async function* ({
    after,
    signal,
  }: {
    after?: Position | undefined;
    signal: AbortSignal;
  }): AsyncIterable<JournalBatch> {
    const left = events.filter(({ position }) => !after || position.commit > after.commit);
    for (const event of left)
      yield { events: [event], unreadable: [], position: event.position, caughtUp: event === left.at(-1) };
    await clock.wait(Number.POSITIVE_INFINITY, { signal });
  };
  const records = new TailedRecords({
    projections: [accounts],
    streamPrefix: "account-",
    readModels: {
      checkpointOf: async () => projected,
      get: async (_, id) => {
        const event = events.find((candidate) => candidate.streamId === id && isProjected(candidate));
        const document = event && (accounts.project(null, event, id) as never);
        return event && document ? { id, position: event.position, document } : undefined;
      },
    },
    journal: { subscribe, store: { lastPosition: async () => events.at(-1)?.position } as never },
    clock,
    onError: (error) => {
      throw error;
    },
    maxEventsHeld: MAX_EVENTS_HELD,
  });
  const project = (number: number) => {
    projected = events[number]?.position;
  };
  return { records, clock, project };
};

test("what the projector has come to is held no more, and is found in its records", async () => {
  const { records, project } = openWorld(MAX_EVENTS_HELD);
  await records.refresh();
  expect([...records.heldFor(accounts)]).toHaveLength(MAX_EVENTS_HELD);
  project(MAX_EVENTS_HELD - 1);
  expect((await records.get(accounts, idOf(0)))?.accountId).toBe(idOf(0));

  const later = openWorld(3 * MAX_EVENTS_HELD);
  later.project(2 * MAX_EVENTS_HELD - 1);
  await later.records.refresh();
  expect([...later.records.heldFor(accounts)]).toHaveLength(MAX_EVENTS_HELD);
  for (const number of [0, 2 * MAX_EVENTS_HELD, 3 * MAX_EVENTS_HELD - 1])
    expect((await later.records.get(accounts, idOf(number)))?.accountId).toBe(idOf(number));
});

test("when more can't be held nothing is known, until the projector has come further", async () => {
  const { records, project } = openWorld(2 * MAX_EVENTS_HELD);
  await expect(records.refresh()).rejects.toThrow(ProjectorBehindError);
  await expect(records.get(accounts, idOf(0))).rejects.toThrow(ProjectorBehindError);
  expect([...records.heldFor(accounts)].length).toBeLessThanOrEqual(MAX_EVENTS_HELD + 1);
  project(MAX_EVENTS_HELD + 4);
  await records.refresh();
  for (const number of [0, MAX_EVENTS_HELD + 4, 2 * MAX_EVENTS_HELD - 1])
    expect((await records.get(accounts, idOf(number)))?.accountId).toBe(idOf(number));
});

test("who follows waits for the projector, and goes on without a gap", async () => {
  const { records, clock, project } = openWorld(2 * MAX_EVENTS_HELD);
  const ending = new AbortController();
  const followed = records.follow(ending.signal);
  project(2 * MAX_EVENTS_HELD - 1);
  await eventually("the last one", async () => {
    clock.advance(1_000);
    return records.get(accounts, idOf(2 * MAX_EVENTS_HELD - 1)).then(Boolean, () => false);
  });
  ending.abort();
  await followed;
});
