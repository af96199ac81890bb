import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, readdirSync, readFileSync, readlinkSync, statSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { systemRandom } from "@rubrica/runtime";
import { noteWarningsIn } from "@rubrica/test-kit/warnings";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHandover } from "../src/handover.ts";
import { HelperProcess } from "../src/process.ts";

const known = openHandover();
known?.close();
if (known) closeSync(known.readable);

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** The files without a name that this process hands over by, with their sizes. */
const handedOver = (): Map<string, number> => {
  const found = new Map<string, number>();
  for (const fd of readdirSync("/proc/self/fd")) {
    try {
      const link = readlinkSync(`/proc/self/fd/${fd}`);
      if (link.startsWith("/dev/shm/rubrica-")) found.set(link, statSync(`/proc/self/fd/${fd}`).size);
    } catch {
      // The one that lists them is closed again.
    }
  }
  return found;
};

const started = async (): Promise<HelperProcess> => {
  const entry = new URL("./helper.ts", import.meta.url);
  const helper = new HelperProcess({ entry, title: "rubrica: tests", heapMb: 128, user: undefined });
  await helper.ready;
  return helper;
};

describe.skipIf(known === undefined)("a task's file", () => {
  let helper: HelperProcess;
  beforeAll(async () => {
    helper = await started();
  });
  afterAll(() => helper.kill());

  test.each([3_000_000, 0, 65_535, 65_536, 1, 1_000_000])("of %d bytes arrives as it was sent", async (length) => {
    const bytes = systemRandom.bytes(length);
    expect(await helper.run({ do: "hash", bytes })).toEqual({ kind: "done", result: sha256(bytes) });
  });

  test("takes no memory beside the helper's once the task is done, and none at all once the helper is gone", async () => {
    const before = handedOver();
    const another = await started();
    const [own = ""] = [...handedOver().keys()].filter((name) => !before.has(name));
    const answered = another.run({ do: "hash", bytes: new Uint8Array(2_000_000) });
    expect(handedOver().get(own)).toBe(2_000_000);
    await answered;
    expect(handedOver().get(own)).toBe(0);
    await another.kill();
    expect(handedOver().has(own)).toBe(false);
  });

  test("has no name, and can't be written by who reads it", () => {
    const handover = openHandover();
    if (!handover) throw new Error("there was one before");
    const { readable } = handover;
    expect(handover.put(new Uint8Array(100_000).fill(7))).toBe(true);
    expect(readdirSync("/dev/shm").filter((name) => name.startsWith(`rubrica-${process.pid}-`))).toEqual([]);
    expect(readFileSync(readable)).toHaveLength(100_000);
    expect(() => writeSync(readable, "x")).toThrow("EBADF");
    closeSync(readable);
    handover.close();
  });

  test("goes through the channel where there is no room for it", () => {
    const program = fileURLToPath(new URL("./handover-program.ts", import.meta.url));
    // No file may grow beyond some 100 KB.
    const limited = ["-c", 'ulimit -f 100; exec "$0" "$@"', process.execPath, "--trace-warnings", program, "1000000"];
    const { stdout, stderr } = spawnSync("/bin/sh", limited, { encoding: "utf8" });
    noteWarningsIn("a program that hands over", stderr);
    expect(stdout, stderr).toBe(sha256(new Uint8Array(1_000_000)));
  });
});
