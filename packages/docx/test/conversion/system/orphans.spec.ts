import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { systemRuntime } from "@rubrica/runtime";
import { eventually, followWarningsOf, noteMissing, standStill, temporaryFolder, unlessGone } from "@rubrica/test-kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findSoffice } from "../../../src/conversion/native/native-office.ts";
import { findWasm } from "../../../src/conversion/wasm/wasm-folder.ts";
import { type DocxConverter, openConverter } from "../../../src/index.ts";
import { killProcessesOf, processesOf, socketFinder, tellsProcesses } from "../processes.ts";

if (!findSoffice(undefined)) noteMissing("soffice");
const socketFor = await socketFinder(findSoffice(undefined));
const runtime = systemRuntime();
let folder: ReturnType<typeof temporaryFolder>;
let holder: ChildProcess | undefined;
const work = () => join(folder.path, "work");

beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(work());
});
afterEach(async () => {
  await killed();
  // Only a test that failed leaves one.
  if (tellsProcesses()) killProcessesOf(work());
  folder[Symbol.dispose]();
});

/** Starts a process that holds an office program in the test's folder. */
const hold = (engine: DocxConverter["engine"]): ChildProcess => {
  const script = join(import.meta.dirname, "..", "holder.ts");
  const args = ["--trace-warnings", script, work(), engine];
  holder = followWarningsOf("holder", spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] }), true);
  return holder;
};

/** Kills the holder so that it can do nothing about it. */
const killed = async (): Promise<void> => {
  if (!holder || holder.exitCode !== null || holder.signalCode !== null) return;
  const gone = once(holder, "exit");
  holder.kill("SIGKILL");
  await gone;
};

const warm = async (engine: DocxConverter["engine"]): Promise<void> => {
  const { stdout } = hold(engine);
  if (stdout) await once(stdout, "data");
};

/** The office program's own, without what only starts and watches it. */
const programs = (): number[] =>
  processesOf(work()).filter((pid) =>
    unlessGone(() => readFileSync(`/proc/${pid}/comm`, "utf8"))?.startsWith("soffice.bin"),
  );

const allGone = (): Promise<true> =>
  eventually("the office program to be gone", () => processesOf(work()).length === 0 || undefined);

/** Where the one program that was started listens. */
const socket = (): string => {
  const [only = ""] = globSync("office-*/*", { cwd: work() });
  return socketFor(join(work(), only));
};

/** What every start does first. */
const nextStart = async (): Promise<void> => {
  await openConverter({ ...runtime, folder: work(), engines: [] });
};

const native = findSoffice(undefined) !== undefined;
describe.skipIf(!native || !tellsProcesses())(
  `LibreOffice, when its service is killed${native ? "" : " (skipped: no soffice)"}`,
  () => {
    test("ends, even when it hangs, and its socket goes with it; its folder goes with the next start", async () => {
      await warm("native");
      expect(programs()).toHaveLength(1);
      expect(existsSync(socket())).toBe(true);
      const left = socket();
      await Promise.all(programs().map(standStill));
      await killed();
      await allGone();
      expect(existsSync(left)).toBe(false);
      expect(readdirSync(work())).toHaveLength(1);
      await nextStart();
      expect(readdirSync(folder.path)).toEqual([]);
    });

    test("is killed with it, and leaves a socket that the next start removes", async () => {
      await warm("native");
      const left = socket();
      if (holder?.pid !== undefined) await standStill(holder.pid);
      killProcessesOf(work());
      await killed();
      await allGone();
      expect(existsSync(left)).toBe(true);
      await nextStart();
      expect(existsSync(left)).toBe(false);
    });

    test("ends, when it had only just been started", async () => {
      hold("native");
      await eventually("a start", () => processesOf(work()).length > 0 || undefined);
      await killed();
      await allGone();
    });
  },
);

const wasm = findWasm() !== undefined;
describe.skipIf(!wasm || !tellsProcesses())(
  `LibreOffice as WASM, when its service is killed${wasm ? "" : " (skipped: the optional package is not installed)"}`,
  () => {
    test("ends", async () => {
      await warm("wasm");
      expect(processesOf(work()).length).toBeGreaterThan(0);
      await killed();
      await allGone();
    });

    test("ends, when it had only just been started", async () => {
      hold("wasm");
      await eventually("a start", () => processesOf(work()).length > 0 || undefined);
      await killed();
      await allGone();
    });
  },
);
