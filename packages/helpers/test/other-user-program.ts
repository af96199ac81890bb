import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { systemClock } from "@rubrica/runtime";
import { createHelperBudget, createHelperPool, openOtherUser } from "../src/index.ts";
import { usageOf } from "../src/usage.ts";
import type { TestTask } from "./helper.ts";

/** By then it has its task in hand. */
const BUSY_MS = 200;
const POLL_MS = 10;

/**
 * A service with one helper of another user's: `node other-user-program.ts LAUNCHER`. It prints a line of JSON for each
 * thing that it did, and leaves the helper with a task that has no end.
 */
const [launcher = ""] = process.argv.slice(2);
const user = openOtherUser(launcher);
const pool = createHelperPool<TestTask, unknown>({
  clock: systemClock,
  budget: createHelperBudget({ clock: systemClock, totalMb: 1_000, user }),
  name: "other",
  entry: new URL("./helper.ts", import.meta.url),
  processes: 1,
  limits: { cpuMs: 4_000, heapMb: 32, memoryMb: 200 },
  queue: { all: 10, ofOne: 10 },
});

const tell = (what: string, outcome: unknown): void => {
  process.stdout.write(`${JSON.stringify([what, outcome])}\n`);
};
const outcomeOf = (task: TestTask): Promise<unknown> => pool.run(task, "a").catch(({ name, bound }) => bound ?? name);
const status = (pid: number | "self"): string => readFileSync(`/proc/${pid}/status`, "utf8");
const line = (text: string, name: string) => new RegExp(`^${name}:\\s+(.*)$`, "m").exec(text)?.[1];
const asOther = (...program: string[]): number | null => {
  const [command = "", ...args] = user.as(program);
  return spawnSync(command, args, { stdio: "ignore", env: {} }).status;
};

tell("own", line(status("self"), "Uid"));
const helper = (await pool.run({ do: "environment" }, "a")) as { names: string[]; pid: number };
const told = status(helper.pid);
tell("helper", {
  uid: line(told, "Uid"),
  gid: line(told, "Gid"),
  caps: line(told, "CapPrm"),
  gains: line(told, "NoNewPrivs"),
});
tell("priorities", [getPriority(), getPriority(helper.pid)]);
tell("names", helper.names);
tell("echo", await outcomeOf({ do: "echo", value: Buffer.alloc(2_000_000, 7).length }));
tell("spin", await outcomeOf({ do: "spin", ms: 60_000 }));
tell("hold", await outcomeOf({ do: "hold", mb: 300, ms: 60_000 }));
tell("fill", await outcomeOf({ do: "fill" }));
tell("die", await outcomeOf({ do: "die" }));
tell("after", await outcomeOf({ do: "echo", value: 1 }));
tell("its environment", asOther("cat", `/proc/${process.pid}/environ`));
tell("its memory", asOther("cat", `/proc/${process.pid}/maps`));
tell("its end", asOther("/bin/sh", "-c", 'kill -s KILL "$0"', String(process.pid)));
const busy = (await pool.run({ do: "environment" }, "a")) as { pid: number };
const usedMs = () => usageOf(busy.pid)?.cpuMs ?? 0;
const beganMs = usedMs();
void pool.run({ do: "spin", ms: 600_000 }, "a");
while (usedMs() < beganMs + BUSY_MS) await systemClock.wait(POLL_MS);
tell("busy", busy.pid);
