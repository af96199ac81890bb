import { spawnSync } from "node:child_process";
import { ManualClock } from "@rubrica/runtime/testing";
import { noteWarningsIn } from "@rubrica/test-kit/warnings";
import { expect, test } from "vitest";
import { collectAtRest } from "../src/at-rest.ts";

const MB = 1024 * 1024;
const LOOK_MS = 15_000;

/** A process whose memory holds 20 MB that are needed, and what it gathers. */
const watched = () => {
  const clock = new ManualClock();
  const used = { processorMs: 0, gathered: 0 };
  let collected = 0;
  const collect = () => {
    collected += 1;
    used.gathered = 0;
  };
  const usage = () => ({ processorMs: used.processorMs, bytes: 20 * MB + used.gathered });
  void collectAtRest(clock, collect, usage);
  /** How often it collected while it used so much. */
  return async (processorMs: number, gathered: number): Promise<number> => {
    const before = collected;
    used.processorMs += processorMs;
    used.gathered += gathered;
    clock.advance(LOOK_MS);
    await Promise.resolve();
    return collected - before;
  };
};

test("a process that was busy collects once it is at rest", async () => {
  const passes = watched();
  expect(await passes(10_000, 30 * MB)).toBe(0);
  expect(await passes(100, 0)).toBe(0);
  expect(await passes(1_000, 0)).toBe(0);
  expect(await passes(100, 0)).toBe(0);
  expect(await passes(100, 0)).toBe(1);
});

test("it does so again only where something was gathered, and two minutes later", async () => {
  const passes = watched();
  await passes(100, 30 * MB);
  expect(await passes(100, 0)).toBe(1);
  for (let looks = 0; looks < 20; looks += 1) expect(await passes(100, 0)).toBe(0);
  expect(await passes(100, 5 * MB)).toBe(1);
  for (let looks = 1; looks < 8; looks += 1) expect(await passes(100, 5 * MB)).toBe(0);
  expect(await passes(100, 0)).toBe(1);
});

/** Looks at itself when it can open no more files. */
const WITHOUT_FILES = `
  import { openSync } from "node:fs";
  const { usageNow } = await import(${JSON.stringify(new URL("../src/at-rest.ts", import.meta.url).href)});
  const open = () => openSync("/dev/null");
  try { for (;;) open(); } catch (error) { if (error.code !== "EMFILE") throw error; }
  process.exitCode = usageNow().bytes > 0 ? 0 : 1;
`;

test.skipIf(process.platform === "win32")("a process that has no files left to open goes on", () => {
  const node = [process.execPath, "--input-type=module", "--eval", WITHOUT_FILES];
  const { status, stderr } = spawnSync("sh", ["-c", 'ulimit -n 64; exec "$@"', "sh", ...node], { encoding: "utf8" });
  noteWarningsIn("a process without files", stderr);
  expect(status, stderr).toBe(0);
});
