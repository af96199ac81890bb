import { ManualClock, seededRandom } from "@rubrica/runtime/testing";
import { expect, test } from "vitest";
import { GroupCommit } from "../../src/embedded/group-commit.ts";
import { prepareAppend } from "../../src/prepare-append.ts";
import { anEvent } from "../helpers/events.ts";

/** As SQLite says that another process writes to the file. */
const busy = () => Object.assign(new Error("database is locked"), { errcode: 5 });
const result = { revision: 0n, position: { commit: 1n, prepare: 1n } };

/** Another process lets go of the file after `heldMs`, by a clock that goes on with each wait; what an append comes to, and when. */
const appendWhileHeld = async (heldMs: number) => {
  const clock = new ManualClock();
  const passing = {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    wait: async (ms: number) => clock.advance(ms),
  };
  const group = new GroupCommit({
    commit: (appends) => {
      if (clock.monotonicMs() < heldMs) throw busy();
      return appends.map(() => result);
    },
    committed: () => undefined,
    clock: passing,
    random: seededRandom(1),
  });
  const outcome = await group.append(prepareAppend("a-1", "no_stream", [anEvent()])).catch((error: Error) => error);
  return { outcome, afterMs: clock.monotonicMs() };
};

test("another process that holds the file is waited for", async () => {
  const { outcome, afterMs } = await appendWhileHeld(9_900);
  expect(outcome).toEqual(result);
  expect(afterMs).toBeGreaterThanOrEqual(9_900);
});

test("for ten seconds, and no longer", async () => {
  const { outcome, afterMs } = await appendWhileHeld(60_000);
  expect(outcome).toMatchObject({ message: "database is locked" });
  expect(afterMs).toBeGreaterThanOrEqual(10_000);
  expect(afterMs).toBeLessThan(10_100);
});
