import { systemClock } from "@rubrica/runtime";
import { createHelperBudget, createHelperPool } from "../src/index.ts";
import type { TestTask } from "./helper.ts";

/** A program that has a helper hash some bytes, and prints the hash. */
const pool = createHelperPool<TestTask, unknown>({
  clock: systemClock,
  budget: createHelperBudget({ clock: systemClock, totalMb: 500 }),
  name: "program",
  entry: new URL("./helper.ts", import.meta.url),
  processes: 1,
  limits: { cpuMs: 4_000, heapMb: 64, memoryMb: 400 },
  queue: { all: 1, ofOne: 1 },
});
process.stdout.write(String(await pool.run({ do: "hash", bytes: new Uint8Array(Number(process.argv[2])) }, "a")));
await pool.close();
