import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemRandom } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { createSecrets } from "@rubrica/secrets";
import { eventually } from "@rubrica/test-kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openEmbeddedKeyStore } from "../../src/embedded.ts";

type Synced = (error: Error | null) => void;

/** Syncs that were begun: each is over when it is called. */
const syncs: Synced[] = [];
const sync = () =>
  new Promise<void>((resolve, reject) => syncs.push((error) => (error === null ? resolve() : reject(error))));

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rubrica-key-syncs-"));
  path = join(folder, "keys.sqlite");
  syncs.length = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = () =>
  openEmbeddedKeyStore({
    path,
    secrets: createSecrets({ current: Buffer.alloc(32, 1) }),
    random: systemRandom,
    clock: new ManualClock(),
    sync,
  });

/** The next sync, once it has begun. */
const nextSync = (): Promise<Synced> => eventually("a sync", () => syncs.shift());

/** What was answered so far. */
const answersOf = (keys: readonly Promise<unknown>[]): unknown[] => {
  const answers: unknown[] = [];
  for (const key of keys) key.then((answer) => answers.push(answer));
  return answers;
};
const turn = () => new Promise(setImmediate);

test("no key is answered before its sync is over; those asked for meanwhile share the next one", async () => {
  const keys = open();
  const first = keys.obtain("a");
  const sync = await nextSync();
  const later = [keys.obtain("a"), keys.obtain("b"), keys.obtain("c")];
  const answers = answersOf([first, ...later]);
  // What is only to be read is there, and does not make it durable.
  expect(await keys.find("a")).toBeDefined();
  await turn();
  expect([answers.length, syncs.length]).toEqual([0, 0]);
  sync(null);
  const second = await nextSync();
  expect(answers).toEqual([await first]);
  second(null);
  await Promise.all(later);
  expect(syncs).toHaveLength(0);
  await keys.close();
});

test("a key that another process left behind is synced before it is answered", async () => {
  const [one, other] = [open(), open()];
  const made = one.obtain("a");
  const unfinished = await nextSync();
  expect(await other.find("a")).toBeDefined();
  const obtained = other.obtain("a");
  (await nextSync())(null);
  await obtained;
  unfinished(null);
  await made;
  await Promise.all([one.close(), other.close()]);
});

test("after a sync that failed nothing is answered before all of the log is in the database file", async () => {
  const keys = open();
  const failing = keys.obtain("a");
  (await nextSync())(new Error("EIO"));
  await expect(failing).rejects.toThrow("EIO");
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);

  const retried = keys.obtain("b");
  const sync = await nextSync();
  // The log was emptied, though SQLite would have kept on writing to it.
  expect(statSync(`${path}-wal`).size).toBe(0);
  sync(null);
  await retried;
  await keys.close();
});
