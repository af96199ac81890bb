import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { systemRandom } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { createSecrets } from "@rubrica/secrets";
import { followWarningsOf, toolsMissing } from "@rubrica/test-kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDiskFileStore, openEmbeddedKeyStore } from "../../src/embedded.ts";
import type { KeyStore } from "../../src/index.ts";
import { FileCorruptError, openMemoryFileStore } from "../../src/index.ts";
import { CONTRACT_MAX_SIZE_BYTES, fileStoreContract } from "./contract.ts";

const HOUR_MS = 60 * 60 * 1000;
const secrets = createSecrets({ current: Buffer.from("a".repeat(32)) });
const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const text = "Contrato de Juana Pérez, DNI 30.123.456. ".repeat(20);

let folder: string;
let dir: string;
let keys: KeyStore;
const clock = new ManualClock(Date.UTC(2030, 0, 1));

const openKeys = () => openEmbeddedKeyStore({ path: ":memory:", secrets, random: systemRandom, clock });
const open = () => openDiskFileStore({ dir, keys, random: systemRandom, clock, maxSizeBytes: CONTRACT_MAX_SIZE_BYTES });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rubrica-files-"));
  dir = join(folder, "data", "files");
  keys = openKeys();
});
afterEach(async () => {
  await keys.close();
  await rm(folder, { recursive: true });
});

const contractOptions = () => ({
  keys: openKeys(),
  random: systemRandom,
  clock,
  maxSizeBytes: CONTRACT_MAX_SIZE_BYTES,
});
let opened = 0;
fileStoreContract("on disk", async () => {
  opened += 1;
  const options = contractOptions();
  return { files: await openDiskFileStore({ ...options, dir: join(folder, `files ${opened}`) }), keys: options.keys };
});
fileStoreContract("in memory", async () => {
  const options = contractOptions();
  return { files: openMemoryFileStore(options), keys: options.keys };
});

const storedFiles = async (): Promise<string[]> =>
  (await readdir(dir, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const onlyStoredFile = async (): Promise<string> => {
  const [path, ...others] = await storedFiles();
  if (!path || others.length > 0) throw new Error("not one file");
  return path;
};

test("files survive a restart", async () => {
  const { sha256 } = await (await open()).put("a", Buffer.from(text), "text/plain");
  expect((await (await open()).get("a", sha256)).toString()).toBe(text);
});

test("neither bytes nor names on disk say what was stored or whose it is", async () => {
  const files = await open();
  const { sha256 } = await files.put("owner", Buffer.from(text), "text/plain");
  const path = await onlyStoredFile();
  const stored = await readFile(path);
  for (const part of ["Contrato", "Juana", "30.123.456", "text/plain", "owner", sha256])
    expect(stored.includes(part)).toBe(false);
  expect(path).not.toContain(sha256);
  expect((await stat(path)).mode & 0o077).toBe(0);
  expect((await stat(dir)).mode & 0o077).toBe(0);
});

test("who knows a content and an owner's id, but not the key, cannot tell whether it is there", async () => {
  const files = await open();
  await files.put("owner", Buffer.from(text), "text/plain");
  const name = basename(await onlyStoredFile());
  const otherKeys = openKeys();
  await rm(await onlyStoredFile());
  await (await openDiskFileStore({ dir, keys: otherKeys, random: systemRandom, clock })).put(
    "owner",
    Buffer.from(text),
    "text/plain",
  );
  expect(basename(await onlyStoredFile())).not.toBe(name);
  await otherKeys.close();
});

test("the same bytes are stored once, and never encrypted alike", async () => {
  const files = await open();
  await files.put("a", Buffer.from(text), "text/plain");
  const first = await readFile(await onlyStoredFile());
  await files.put("a", Buffer.from(text), "text/plain");
  expect(await readFile(await onlyStoredFile())).toEqual(first);
  await rm(await onlyStoredFile());
  await files.put("a", Buffer.from(text), "text/plain");
  expect((await readFile(await onlyStoredFile())).subarray(1, 13)).not.toEqual(first.subarray(1, 13));
});

test("a change of any byte is noticed, and storing the file again mends it", async () => {
  const files = await open();
  const bytes = Buffer.from("short");
  const { sha256 } = await files.put("a", bytes, "text/plain");
  const path = await onlyStoredFile();
  const stored = await readFile(path);
  for (let at = 0; at < stored.length; at++) {
    const changed = Buffer.from(stored);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    await writeFile(path, changed);
    await expect(files.get("a", sha256)).rejects.toThrow(FileCorruptError);
  }
  await files.put("a", bytes, "text/plain");
  expect(await files.get("a", sha256)).toEqual(bytes);
});

test.each([0, 1, 12, 28, 29])("a file cut to %i bytes is corrupt", async (size) => {
  const files = await open();
  const { sha256 } = await files.put("a", Buffer.from(text), "text/plain");
  await truncate(await onlyStoredFile(), size);
  await expect(files.get("a", sha256)).rejects.toThrow(FileCorruptError);
});

test("a file that grew past the limit is corrupt, and not read", async () => {
  const files = await open();
  const { sha256 } = await files.put("a", Buffer.from(text), "text/plain");
  await truncate(await onlyStoredFile(), 2 ** 40);
  await expect(files.get("a", sha256)).rejects.toThrow(FileCorruptError);
});

test("a file put in the place of another is corrupt", async () => {
  const files = await open();
  const one = await files.put("a", Buffer.from("one"), "text/plain");
  const onePath = await onlyStoredFile();
  await files.put("a", Buffer.from("two"), "text/plain");
  const twoPath = (await storedFiles()).find((path) => path !== onePath);
  await writeFile(onePath, await readFile(twoPath ?? ""));
  await expect(files.get("a", one.sha256)).rejects.toThrow(FileCorruptError);
});

test("what a dead process left unfinished is removed at opening, what may still be written is not", async () => {
  await open();
  const [old, young] = [join(dir, "unfinished", "old"), join(dir, "unfinished", "young")];
  for (const [path, ageMs] of [
    [old, 2 * HOUR_MS],
    [young, HOUR_MS / 2],
  ] as const) {
    await writeFile(path, "half a file");
    await utimes(path, (clock.now() - ageMs) / 1000, (clock.now() - ageMs) / 1000);
  }
  await open();
  expect(await storedFiles()).toEqual([young]);
});

test("a write that fails leaves nothing behind", async () => {
  const files = await open();
  const bytes = Buffer.from(text);
  await files.put("a", bytes, "text/plain");
  const path = await onlyStoredFile();
  await rm(path);
  // A folder in the file's place: the rename fails after everything was written.
  await mkdir(join(path, "in the way"), { recursive: true });
  await expect(files.put("a", bytes, "text/plain")).rejects.toThrow();
  expect(await storedFiles()).toEqual([]);
});

const childProgram = (body: string) => `
  import { openDiskFileStore, openEmbeddedKeyStore } from "@rubrica/storage/embedded";
  import { systemClock as clock, systemRandom as random } from "@rubrica/runtime";
  import { createSecrets } from "@rubrica/secrets";
  const [path, dir] = process.argv.slice(1);
  const secrets = createSecrets({ current: Buffer.from("a".repeat(32)) });
  const keys = openEmbeddedKeyStore({ path, secrets, random, clock });
  const files = await openDiskFileStore({ dir, keys, random, clock });
  ${body}`;
const childArguments = (body: string) => [
  "--input-type=module-typescript",
  "--eval",
  childProgram(body),
  join(folder, "keys.sqlite"),
  dir,
];

test("every file that was answered is whole after kill -9, and no name stands for half a file", async () => {
  const body = `
    const put = async (number) => {
      const { sha256 } = await files.put("owner " + (number % 7), Buffer.alloc(50_000, number + " "), "text/plain");
      process.stdout.write(number + " " + sha256 + "\\n");
    };
    for (let number = 0; ; number += 4) await Promise.all([0, 1, 2, 3].map((offset) => put(number + offset)));`;
  const child = spawn(process.execPath, ["--trace-warnings", ...childArguments(body)], { cwd: import.meta.dirname });
  followWarningsOf("writer", child, true);
  const closed = once(child, "close");
  const answered: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    answered.push(line);
    if (answered.length === 100) child.kill("SIGKILL");
  }
  await closed;
  expect(answered.length).toBeGreaterThanOrEqual(100);

  const keptKeys = openEmbeddedKeyStore({ path: join(folder, "keys.sqlite"), secrets, random: systemRandom, clock });
  const files = await openDiskFileStore({ dir, keys: keptKeys, random: systemRandom, clock });
  for (const line of answered.filter((answer) => /^\d+ [0-9a-f]{64}$/.test(answer))) {
    const [number = "", sha256 = ""] = line.split(" ");
    const bytes = await files.get(`owner ${Number(number) % 7}`, sha256);
    expect(sha256Of(bytes)).toBe(sha256Of(Buffer.alloc(50_000, `${number} `)));
  }
  for (const path of await storedFiles())
    if (!path.includes("unfinished")) expect((await stat(path)).size).toBe(50_000 + 29);
  await keptKeys.close();
});

const hasStrace = !toolsMissing("strace");

test.skipIf(!hasStrace)(
  "the file is synced, renamed and its folder synced before the answer (needs strace)",
  async () => {
    const trace = join(folder, "trace");
    const body = `
    await files.put("a", Buffer.from("hello"), "text/plain");
    process.stdout.write("answered once\\n");
    await files.put("a", Buffer.from("hello"), "text/plain");
    process.stdout.write("answered twice\\n");`;
    const calls = "trace=openat,fsync,fdatasync,rename,renameat,renameat2,write";
    const child = spawn(
      "strace",
      ["-f", "-y", "-s", "20", "-e", calls, "-o", trace, process.execPath, ...childArguments(body)],
      { cwd: import.meta.dirname, stdio: ["ignore", "ignore", "pipe"] },
    );
    followWarningsOf("traced writer", child, true);
    expect((await once(child, "close"))[0]).toBe(0);
    const log = await readFile(trace, "utf8");
    const steps = [
      /fsync\(\d+<[^>]*\/unfinished\/[^>]*>/,
      /rename\w*\(.*\/unfinished\//,
      /fsync\(\d+<[^>]*\/files\/[0-9a-f]{2}>/,
      /write\(1<.*answered once/,
      /fsync\(\d+<[^>]*\/files\/[0-9a-f]{2}>/,
      /write\(1<.*answered twice/,
    ];
    let at = 0;
    for (const step of steps) {
      const found = log.slice(at).search(step);
      expect(found, String(step)).toBeGreaterThanOrEqual(0);
      at += found + 1;
    }
    // The runtime renames files of its own where it keeps compiled code; the store renames once.
    expect(log.match(/rename\w*\(.*\/unfinished\//g)).toHaveLength(1);
  },
);
