import { spawn } from "node:child_process";
import type { KeyObject } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { ManualClock, seededRandom } from "@rubrica/runtime/testing";
import { createSecrets } from "@rubrica/secrets";
import { spoilKey } from "@rubrica/test-kit/damage";
import { followWarningsOf } from "@rubrica/test-kit/warnings";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openEmbeddedKeyStore } from "../../src/embedded.ts";
import { KeyDestroyedError, KeyUnreadableError } from "../../src/index.ts";
import { keyStoreContract } from "./contract.ts";

const secret = (letter: string) => Buffer.from(letter.repeat(32));
const secretsOf = (current: string, former: string[] = []) =>
  createSecrets({ current: secret(current), former: former.map(secret) });

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rubrica-keys-"));
  path = join(folder, "keys.sqlite");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (secrets = secretsOf("a"), clock = new ManualClock()) =>
  openEmbeddedKeyStore({ path, secrets, random: systemRandom, clock });

let opened = 0;
keyStoreContract("on disk", async () => {
  opened += 1;
  const own = join(folder, `keys-${opened}.sqlite`);
  return openEmbeddedKeyStore({ path: own, secrets: secretsOf("a"), random: systemRandom, clock: new ManualClock() });
});
keyStoreContract("in memory", async () =>
  openEmbeddedKeyStore({
    path: ":memory:",
    secrets: secretsOf("a"),
    random: seededRandom(1),
    clock: new ManualClock(),
  }),
);

const hexOf = (key: KeyObject | undefined): string | undefined => key?.export().toString("hex");

/** The bytes that a key is kept as. */
const wrappedOf = (owner: string): Buffer => {
  const database = new DatabaseSync(path);
  const row = database.prepare("SELECT wrapped FROM keys WHERE owner = ?").get(owner);
  database.close();
  return Buffer.from(row?.wrapped as Uint8Array);
};

/** Everything that lies in the folder, log included. */
const bytesOnDisk = async (): Promise<Buffer> =>
  Buffer.concat(await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name)))));

test("keys and tombstones survive a restart", async () => {
  const first = open();
  const key = await first.obtain("kept");
  await first.obtain("destroyed");
  await first.destroy("destroyed");
  await first.close();

  const second = open();
  expect(hexOf(await second.find("kept"))).toBe(hexOf(key));
  await expect(second.obtain("destroyed")).rejects.toThrow(KeyDestroyedError);
  await second.close();
});

test("no key lies on disk in the clear, and only the owner may read the files", async () => {
  const keys = open();
  const key = await keys.obtain("a");
  const bytes = await bytesOnDisk();
  expect(bytes.includes(wrappedOf("a"))).toBe(true);
  expect(bytes.includes(key.export())).toBe(false);
  for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o077).toBe(0);
  await keys.close();
});

test("a destroyed key leaves no trace in any file of the folder, however many were made and destroyed", async () => {
  const keys = open();
  const owners = Array.from({ length: 2_000 }, (_, number) => `document ${number}`);
  const chance = seededRandom(7);
  for (let at = 0; at < owners.length; at += 100)
    await Promise.all(owners.slice(at, at + 100).map((owner) => keys.obtain(owner)));
  const database = new DatabaseSync(path);
  const kept = database.prepare("SELECT owner, wrapped FROM keys").all();
  database.close();
  const wrapped = new Map(kept.map((row) => [row.owner as string, Buffer.from(row.wrapped as Uint8Array)]));

  const doomed = owners.filter(() => chance.fraction() < 0.1);
  for (const owner of doomed) {
    await keys.destroy(owner);
    await keys.obtain(`after ${owner}`);
  }
  await keys.destroy("nobody");

  const bytes = await bytesOnDisk();
  const traces = (owner: string) => bytes.includes(wrapped.get(owner)?.subarray(12, 44) ?? "");
  expect(doomed.length).toBeGreaterThan(100);
  expect(doomed.filter(traces)).toEqual([]);
  expect(owners.filter((owner) => !doomed.includes(owner)).every(traces)).toBe(true);
  await keys.close();
});

test("a key destroyed by a copied row leaves no trace in any file of the folder", async () => {
  const keys = open();
  await keys.obtain("a");
  const wrapped = wrappedOf("a").subarray(12, 44);
  await keys.putRows([{ owner: "a", wrapped: null }]);
  expect((await bytesOnDisk()).includes(wrapped)).toBe(false);
  await keys.close();
});

test("a log left by a process that died after destroying is wiped at the next opening", async () => {
  const keys = open();
  await keys.obtain("a");
  const wrapped = wrappedOf("a").subarray(12, 44);
  // Destroyed as the engine does it, but never wiped: another process holds an old view of the log meanwhile.
  const reader = new DatabaseSync(path);
  reader.exec("BEGIN; SELECT count(*) FROM keys");
  const clock = new ManualClock();
  const blocked = open(secretsOf("a"), clock);
  const destroying = blocked.destroy("a");
  expect((await bytesOnDisk()).includes(wrapped)).toBe(true);
  reader.close();
  const reopened = open();
  expect((await bytesOnDisk()).includes(wrapped)).toBe(false);
  clock.advance(100);
  await destroying;
  await Promise.all([keys.close(), blocked.close(), reopened.close()]);
});

test("destroying waits for a reader in another process to let the log go", async () => {
  const clock = new ManualClock();
  const keys = open(secretsOf("a"), clock);
  await keys.obtain("a");
  const wrapped = wrappedOf("a").subarray(12, 44);
  const reader = new DatabaseSync(path);
  reader.exec("BEGIN; SELECT count(*) FROM keys");
  const destroying = keys.destroy("a");
  expect(await keys.find("a")).toBeUndefined();
  reader.exec("COMMIT");
  clock.advance(100);
  await destroying;
  expect((await bytesOnDisk()).includes(wrapped)).toBe(false);
  reader.close();
  await keys.close();
});

test("another process's destruction is noticed at once, also of a key that is held", async () => {
  const [one, other] = [open(), open()];
  await one.obtain("a");
  expect(await one.find("a")).toBeDefined();
  await other.destroy("a");
  expect(await one.find("a")).toBeUndefined();
  await expect(one.obtain("a")).rejects.toThrow(KeyDestroyedError);
  await Promise.all([one.close(), other.close()]);
});

test("processes that make the same key get the same one", async () => {
  const [one, other] = [open(), open()];
  const [a, b] = await Promise.all([one.obtain("a"), other.obtain("a")]);
  expect(hexOf(a)).toBe(hexOf(b));
  await Promise.all([one.close(), other.close()]);
});

test("former SECRETs open what they wrapped; without them it is an error, not a new key", async () => {
  const before = open(secretsOf("a"));
  const key = await before.obtain("a");
  await before.close();

  const after = open(secretsOf("b", ["a"]));
  expect(hexOf(await after.find("a"))).toBe(hexOf(key));
  await after.obtain("new");
  await after.close();

  const without = open(secretsOf("b"));
  await expect(without.find("a")).rejects.toThrow(KeyUnreadableError);
  await expect(without.obtain("a")).rejects.toThrow(KeyUnreadableError);
  await without.close();
});

test("a damaged key keeps the store from nothing but itself, also the newest one", async () => {
  const before = open();
  const key = await before.obtain("kept");
  await before.obtain("damaged");
  await before.close();
  spoilKey(folder, "damaged");

  const after = open();
  await expect(after.find("damaged")).rejects.toThrow(KeyUnreadableError);
  await expect(after.obtain("damaged")).rejects.toThrow(KeyUnreadableError);
  expect(hexOf(await after.find("kept"))).toBe(hexOf(key));
  await after.close();
});

test("with a SECRET that is not the newest key's it does not open", async () => {
  const before = open(secretsOf("a"));
  await before.obtain("a");
  await before.obtain("forgotten");
  await before.destroy("forgotten");
  await before.close();
  expect(() => open(secretsOf("b"))).toThrow(KeyUnreadableError);
  await open(secretsOf("b", ["a"])).close();
});

test("a wrapped key moved to another owner does not open", async () => {
  const keys = open();
  await keys.obtain("a");
  await keys.obtain("b");
  const database = new DatabaseSync(path);
  database.exec("UPDATE keys SET wrapped = (SELECT wrapped FROM keys WHERE owner = 'a') WHERE owner = 'b'");
  database.close();
  await expect(keys.find("b")).rejects.toThrow(KeyUnreadableError);
  await keys.close();
});

test("concurrent creations share one transaction", async () => {
  const keys = open();
  await Promise.all(Array.from({ length: 64 }, (_, number) => keys.obtain(`owner ${number}`)));
  const watcher = new DatabaseSync(path);
  const log = watcher.prepare("PRAGMA wal_checkpoint(PASSIVE)").get();
  watcher.close();
  // Pages written to the log since it was made: each transaction writes at least two, 64 of them at least 128.
  expect(log?.log).toBeGreaterThan(0);
  expect(log?.log).toBeLessThan(32);
  await keys.close();
});

test("closing answers the creations that are under way, and can be repeated", async () => {
  const keys = open();
  const creating = keys.obtain("a");
  await keys.close();
  await keys.close();
  const reopened = open();
  expect(hexOf(await reopened.find("a"))).toBe(hexOf(await creating));
  await reopened.close();
  await expect(keys.obtain("b")).rejects.toThrow();
});

test("a file that is no database is an error and is left as it is", async () => {
  await writeFile(path, "not a database, but somebody's only copy of something".repeat(100));
  expect(() => open()).toThrow();
  expect(await readFile(path, "utf8")).toMatch(/^not a database/);
});

test("every key that was answered is there after kill -9", async () => {
  const program = `
    import { openEmbeddedKeyStore } from ${JSON.stringify(new URL("../../src/embedded.ts", import.meta.url).href)};
    import { systemClock, systemRandom } from "@rubrica/runtime";
    import { createSecrets } from "@rubrica/secrets";
    const secrets = createSecrets({ current: Buffer.from("a".repeat(32)) });
    const keys = openEmbeddedKeyStore({ path: process.argv[1], secrets, random: systemRandom, clock: systemClock });
    for (let number = 0; ; number++) {
      const key = await keys.obtain("owner " + number);
      process.stdout.write(number + " " + key.export().toString("hex") + "\\n");
      // What is written can wait for an iteration of the event loop, which nothing else here gives.
      await new Promise((resolve) => setImmediate(resolve));
    }`;
  const args = ["--trace-warnings", "--input-type=module-typescript", "--eval", program, path];
  const child = followWarningsOf("obtainer", spawn(process.execPath, args, { cwd: import.meta.dirname }), true);
  const closed = once(child, "close");
  const answered: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    answered.push(line);
    if (answered.length === 200) child.kill("SIGKILL");
  }
  await closed;

  const keys = openEmbeddedKeyStore({ path, secrets: secretsOf("a"), random: systemRandom, clock: systemClock });
  expect(answered.length).toBeGreaterThanOrEqual(200);
  for (const line of answered.filter((text) => /^\d+ [0-9a-f]{64}$/.test(text))) {
    const [number, key] = line.split(" ");
    expect(hexOf(await keys.find(`owner ${number}`))).toBe(key);
  }
  await keys.close();
});
