import { systemRandom } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { expect, test } from "vitest";
import { gatherWhileBusy } from "../../src/embedded/gathering.ts";
import { GroupCommit } from "../../src/embedded/group-commit.ts";
import { prepareAppend } from "../../src/prepare-append.ts";
import { anEvent } from "../helpers/events.ts";

/** A thread that is busy or not, and the sizes of the groups that were written. */
const world = (isBusy: boolean) => {
  const clock = new ManualClock();
  const groups: number[] = [];
  const result = { revision: 0n, position: { commit: 1n, prepare: 1n } };
  const group = new GroupCommit({
    commit: (appends) => {
      groups.push(appends.length);
      return appends.map(() => result);
    },
    committed: () => undefined,
    gather: gatherWhileBusy(() => isBusy, clock),
    clock,
    random: systemRandom,
  });
  const append = () => group.append(prepareAppend("a-1", "no_stream", [anEvent()]));
  return { clock, groups, append, drained: () => group.drained() };
};

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test("while the thread is busy, appends of 10 ms share a group", async () => {
  const { clock, groups, append, drained } = world(true);
  await append();
  void append();
  await turns();
  void append();
  clock.advance(9);
  await turns();
  expect(groups).toEqual([1]);
  clock.advance(1);
  await drained();
  expect(groups).toEqual([1, 2]);
  clock.advance(10);
  await append();
  expect(groups).toEqual([1, 2, 1]);
});

test("with time to spare each is written as it comes", async () => {
  const { groups, append } = world(false);
  await append();
  await append();
  expect(groups).toEqual([1, 1]);
});

test("those that are many enough wait for nobody", async () => {
  const { groups, append } = world(true);
  await append();
  await Promise.all(Array.from({ length: 8 }, append));
  expect(groups).toEqual([1, 8]);
});
