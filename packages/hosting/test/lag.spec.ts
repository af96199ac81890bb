import { NotReady } from "@rubrica/http";
import type { Collection } from "@rubrica/read-models";
import { isoTime } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { expect, test } from "vitest";
import { type LagParts, lagCheck, lagMeasurement } from "../src/lag.ts";

const at = (commit: bigint) => ({ commit, prepare: commit });
const collections: Collection[] = ["first", "second"].map((name) => ({ name, version: 1, indexes: [] }));

/** Events that were written some seconds ago each, null: without a time; and where the projections stand. */
const partsOf = (secondsAgo: readonly (number | null)[], checkpoints: readonly (number | undefined)[]): LagParts => {
  const clock = new ManualClock();
  const events: LagParts["events"] = {
    lastPosition: async () => (secondsAgo.length > 0 ? at(BigInt(secondsAgo.length)) : undefined),
    async *readAll(after) {
      for (const [index, seconds] of secondsAgo.entries()) {
        if (BigInt(index) < (after?.commit ?? 0n)) continue;
        const metadata = seconds === null ? {} : { at: isoTime(clock.now() - seconds * 1_000) };
        yield { metadata } as never;
      }
    },
  };
  const readModels: LagParts["readModels"] = {
    async checkpointOf({ name }) {
      const checkpoint = checkpoints[collections.findIndex((one) => one.name === name)];
      return checkpoint === undefined ? undefined : at(BigInt(checkpoint));
    },
  };
  return { events, readModels, clock };
};

const checkOf = (...given: Parameters<typeof partsOf>) => lagCheck(partsOf(...given), collections);

test("each projection's lag is measured, in seconds", async () => {
  const lagOf = (...given: Parameters<typeof partsOf>) => lagMeasurement(partsOf(...given), collections)();
  const told = (first: number, second: number) => [
    { labels: { projection: "first" }, value: first },
    { labels: { projection: "second" }, value: second },
  ];
  expect(await lagOf([500, 31, 1], [1, 3])).toEqual(told(31, 0));
  expect(await lagOf([500, 31, 10], [1, 2])).toEqual(told(31, 10));
  expect(await lagOf([90, null, 60], [undefined, 1])).toEqual(told(90, 60));
  expect(await lagOf([], [undefined, undefined])).toEqual(told(0, 0));
});

test.each([
  ["there is nothing", [], [undefined, undefined]],
  ["all is projected, however long ago it was written", [500, 400], [2, 2]],
  ["what is missing was just written, however long the last one is ago", [500, 29], [1, 1]],
  ["what is missing will have been written, by a clock that was set back", [500, -90], [1, 1]],
])("read models are ready when %s", async (_, secondsAgo, checkpoints) => {
  await expect(checkOf(secondsAgo, checkpoints)()).resolves.toBeUndefined();
});

test("read models are not ready when one lacks what was written more than 30 s ago: it is named, with its lag", async () => {
  await expect(checkOf([500, 31, 1], [1, 3])()).rejects.toEqual(
    new NotReady("first is 31 s behind (at 33 % of the log)"),
  );
  await expect(checkOf([90, null, 1], [undefined, 2])()).rejects.toEqual(
    new NotReady("first is 90 s behind (at 0 % of the log)"),
  );
  await expect(checkOf([90, null, 60], [undefined, 1])()).rejects.toEqual(
    new NotReady("first is 90 s behind (at 0 % of the log), second is 60 s behind (at 33 % of the log)"),
  );
});

test("what is built anew tells how far it is, and by its pace how long it takes", async () => {
  const checkpoints: (number | undefined)[] = [undefined, 10];
  const parts = partsOf(
    Array.from({ length: 10 }, () => 3_600),
    checkpoints,
  );
  const check = lagCheck(parts, collections);
  const told = (words: string) => expect(check()).rejects.toEqual(new NotReady(`first is 3600 s behind (${words})`));
  await told("at 0 % of the log");
  (parts.clock as ManualClock).advance(4_000);
  checkpoints[0] = 2;
  await told("at 20 % of the log, about 16 s left");
  (parts.clock as ManualClock).advance(2_000);
  checkpoints[0] = 6;
  await told("at 60 % of the log, about 4 s left");
  checkpoints[0] = 10;
  await expect(check()).resolves.toBeUndefined();
});
