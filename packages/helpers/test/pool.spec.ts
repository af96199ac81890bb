import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Clock, systemClock } from "@rubrica/runtime";
import { noteWarningsIn } from "@rubrica/test-kit/warnings";
import { afterEach, describe, expect, test } from "vitest";
import { createHelperBudget, createHelperPool, type HelperPool, type HelperPoolOptions } from "../src/index.ts";
import type { TestTask } from "./helper.ts";

type TestPool = HelperPool<TestTask, unknown>;

const pools: TestPool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

const budgetOf = (totalMb = 1_000) => createHelperBudget({ clock: systemClock, totalMb });

const poolOf = (options: Partial<HelperPoolOptions> = {}): TestPool => {
  const pool: TestPool = createHelperPool({
    clock: systemClock,
    budget: budgetOf(),
    name: "tests",
    entry: new URL("./helper.ts", import.meta.url),
    processes: 1,
    limits: { cpuMs: 4_000, heapMb: 128, memoryMb: 400 },
    queue: { all: 100, ofOne: 50 },
    ...options,
  });
  pools.push(pool);
  return pool;
};

/** The processes of this one that are helpers. */
const helpers = (): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
        const command = readFileSync(`/proc/${pid}/cmdline`, "latin1");
        return parent === String(process.pid) && command.includes("rubrica: tests");
      } catch {
        return false;
      }
    })
    .map(Number);

const onLinux = process.platform === "linux";

test("a task's result comes back, bytes and all", async () => {
  const pool = poolOf();
  const value = { text: "ñ 𠮷", bytes: new Uint8Array([1, 2, 255]), large: Buffer.alloc(20_000_000, 7) };
  const echoed = (await pool.run({ do: "echo", value }, "a")) as typeof value;
  expect(echoed.text).toBe(value.text);
  expect([...echoed.bytes]).toEqual([1, 2, 255]);
  expect(Buffer.from(echoed.large).equals(value.large)).toBe(true);
});

test("a task that throws is told of, and the helper goes on", async () => {
  const pool = poolOf();
  await expect(pool.run({ do: "throw" }, "a")).rejects.toMatchObject({
    name: "TaskFailed",
    message: expect.stringContaining("thrown by the task"),
  });
  expect(await pool.run({ do: "echo", value: 1 }, "a")).toBe(1);
});

describe("a task beyond a bound is refused, and the next one is served", () => {
  test.skipIf(!onLinux)("of time", async () => {
    const pool = poolOf({ limits: { cpuMs: 300, heapMb: 64, memoryMb: 400 } });
    await expect(pool.run({ do: "spin", ms: 60_000 }, "a")).rejects.toMatchObject({
      name: "BoundExceeded",
      bound: "time",
    });
    expect(await pool.run({ do: "echo", value: 1 }, "a")).toBe(1);
  });

  test.skipIf(!onLinux)("of memory outside of JavaScript's", async () => {
    const pool = poolOf({ limits: { cpuMs: 20_000, heapMb: 64, memoryMb: 200 } });
    await expect(pool.run({ do: "hold", mb: 300, ms: 20_000 }, "a")).rejects.toMatchObject({
      name: "BoundExceeded",
      bound: "memory",
    });
    expect(await pool.run({ do: "echo", value: 1 }, "a")).toBe(1);
  });

  test.each(["fill", "overgrow"] as const)("of JavaScript's memory: %s", async (what) => {
    const pool = poolOf({ limits: { cpuMs: 30_000, heapMb: 64, memoryMb: 1_000 } });
    await expect(pool.run({ do: what }, "a")).rejects.toMatchObject({ name: "BoundExceeded", bound: "memory" });
    expect(await pool.run({ do: "echo", value: 1 }, "a")).toBe(1);
  });
});

describe("a helper that dies in the middle of its work", () => {
  test("is replaced, and its task tried once more", async () => {
    const pool = poolOf();
    await expect(pool.run({ do: "die" }, "a")).rejects.toMatchObject({ name: "HelpersBusy", retryAfterSeconds: 5 });
    expect(await pool.run({ do: "echo", value: 1 }, "a")).toBe(1);
  });

  test.skipIf(!onLinux)("from outside costs nobody anything", async () => {
    const pool = poolOf();
    const working = pool.run({ do: "spin", ms: 300 }, "a");
    const waiting = pool.run({ do: "echo", value: 1 }, "b");
    await expect.poll(helpers).toHaveLength(1);
    const [first] = helpers();
    if (first === undefined) throw new Error("no helper works");
    process.kill(first, "SIGKILL");
    expect(await working).toBeUndefined();
    expect(await waiting).toBe(1);
    // On a machine that does much else it may have done both before it was killed.
    await expect.poll(helpers).not.toContain(first);
  });
});

test.skipIf(!onLinux)(
  "helpers without work end first, then the largest one, whose task is done when there is room",
  async () => {
    const budget = budgetOf(420);
    const limits = { cpuMs: 20_000, heapMb: 64, memoryMb: 400 };
    // A pool waits ten seconds for room: on a machine that does much else, another's task takes longer.
    const clock: Clock = { ...systemClock, wait: (ms, options) => systemClock.wait(12 * ms, options) };
    const [idle, large, small] = [0, 1, 2].map(() => poolOf({ budget, limits, clock })) as [
      TestPool,
      TestPool,
      TestPool,
    ];
    await idle.run({ do: "echo", value: 1 }, "a");
    const [idlePid] = helpers();
    const order: string[] = [];
    const told = (name: string) => (result: unknown) => {
      order.push(name);
      return result;
    };
    const results = await Promise.all([
      large.run({ do: "hold", mb: 300, ms: 1_500 }, "a").then(told("large")),
      small.run({ do: "hold", mb: 150, ms: 1_500 }, "b").then(told("small")),
    ]);
    expect(results).toEqual([300 * 1_048_576, 150 * 1_048_576]);
    expect(order).toEqual(["small", "large"]);
    expect(helpers()).not.toContain(idlePid);
  },
);

const pidOf = async (pool: TestPool, caller: string): Promise<number> =>
  ((await pool.run({ do: "environment" }, caller)) as { pid: number }).pid;

test.skipIf(!onLinux)("a helper that holds much when its task is done is replaced", async () => {
  const pool = poolOf();
  const before = await pidOf(pool, "a");
  await pool.run({ do: "keep", mb: 10, ms: 10 }, "a");
  expect(await pidOf(pool, "a")).toBe(before);
  await pool.run({ do: "keep", mb: 250, ms: 10 }, "a");
  expect(await pidOf(pool, "a")).not.toBe(before);
});

test.skipIf(!onLinux).each<TestTask>([
  { do: "litter", objects: 6_000_000 },
  { do: "hold", mb: 250, ms: 10 },
])("one whose task no longer needs what it took gives that back, and goes on: %o", async (task) => {
  const pool = poolOf({ limits: { cpuMs: 20_000, heapMb: 384, memoryMb: 400 } });
  const before = await pidOf(pool, "a");
  await pool.run(task, "a");
  expect(await pidOf(pool, "a")).toBe(before);
});

test.skipIf(!onLinux)("what finds no room for ten seconds is told to come again", async () => {
  // From the first look on there is memory for nothing.
  const leftMb = () => 0;
  const budget = createHelperBudget({ clock: systemClock, totalMb: 1_000, leftMb });
  let waitedMs = 0;
  const clock: Clock = {
    ...systemClock,
    wait: async (ms, options) => {
      if (ms >= 1_000) return systemClock.wait(ms, options);
      waitedMs += ms;
    },
  };
  const pool = poolOf({ budget, clock });
  await expect(pool.run({ do: "hold", mb: 50, ms: 60_000 }, "a")).rejects.toMatchObject({
    name: "HelpersBusy",
    message: "tests has no memory left for now",
  });
  expect(waitedMs).toBe(10_000);
});

test("a helper that is being ended to make room gets no task", async () => {
  // So small that what was cut short could not be tried again.
  const budget = budgetOf(300);
  const pool = poolOf({ budget });
  await pool.run({ do: "echo", value: 1 }, "a");
  budget.makeIdleEnd();
  expect(await pool.run({ do: "echo", value: 2 }, "a")).toBe(2);
});

test.skipIf(!onLinux)("whose tasks are heavy leaves helpers that are at work to others", async () => {
  // So that a task that others of the machine hold up is not cut short, which the clock on the wall decides.
  const pool = poolOf({ processes: 2, limits: { cpuMs: 60_000, heapMb: 128, memoryMb: 400 } });
  pool.warm();
  const used = await pidOf(pool, "light");
  expect(await pidOf(pool, "light")).toBe(used);
  await pool.run({ do: "spin", ms: 1_200 }, "heavy");
  expect(await pidOf(pool, "heavy")).not.toBe(used);
  expect(await pidOf(pool, "light")).toBe(used);
});

test.skipIf(!onLinux)(
  "while others work for several callers, helpers take turns: none is new to its work when a caller needs it",
  async () => {
    const pool = poolOf({ processes: 3, limits: { cpuMs: 60_000, heapMb: 128, memoryMb: 400 } });
    await Promise.all(["a", "b", "c"].map((caller) => pool.run({ do: "spin", ms: 100 }, caller)));
    const atWork = pool.run({ do: "spin", ms: 1_000 }, "b");
    const [first, second, third] = [await pidOf(pool, "a"), await pidOf(pool, "a"), await pidOf(pool, "a")];
    expect(second).not.toBe(first);
    expect(third).toBe(first);
    await atWork;
    expect(await pidOf(pool, "a")).toBe(await pidOf(pool, "a"));
  },
);

test.skipIf(!onLinux)("a caller who is alone warms no more helpers than it needs", async () => {
  const pool = poolOf({ processes: 3, limits: { cpuMs: 60_000, heapMb: 128, memoryMb: 400 } });
  await Promise.all([1, 2, 3].map(() => pool.run({ do: "spin", ms: 100 }, "a")));
  const atWork = pool.run({ do: "spin", ms: 1_000 }, "a");
  const first = await pidOf(pool, "a");
  expect([await pidOf(pool, "a"), await pidOf(pool, "a")]).toEqual([first, first]);
  await atWork;
});

test.skipIf(!onLinux)(
  "helpers are known by name, give way to what serves requests, and see nothing of the service's environment",
  async () => {
    process.env.RUBRICA_TEST_SECRET = "secret";
    try {
      const pool = poolOf();
      const { names } = (await pool.run({ do: "environment" }, "a")) as { names: string[] };
      expect(names).not.toContain("RUBRICA_TEST_SECRET");
      expect(names).not.toContain("PATH");
      const [pid] = helpers();
      expect(getPriority(pid)).toBe(Math.max(10, getPriority()));
    } finally {
      delete process.env.RUBRICA_TEST_SECRET;
    }
  },
);

test.each([
  ["read", "/etc/hostname"],
  ["write", join(tmpdir(), "rubrica-helpers-were-here")],
  ["start", process.execPath],
] as const)("helpers have nothing of the machine but their own code: they can't %s", async (what, path) => {
  await expect(poolOf().run({ do: what, what: path }, "a")).rejects.toMatchObject({
    name: "TaskFailed",
    message: expect.stringContaining("Access to this API has been restricted"),
  });
});

test("more than may wait is turned away at once", async () => {
  const pool = poolOf({ queue: { all: 3, ofOne: 2 } });
  const tasks = ["a", "a", "a", "a", "b", "c"].map((caller) => pool.run({ do: "echo", value: caller }, caller));
  const settled = await Promise.allSettled(tasks);
  expect(settled.map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "fulfilled",
    "rejected",
    "fulfilled",
    "rejected",
  ]);
});

test.skipIf(!onLinux)(
  "a pool that is kept warm has a helper ready before it is asked for, also after one was ended",
  async () => {
    const pool = poolOf({ processes: 2, limits: { cpuMs: 200, heapMb: 64, memoryMb: 400 } });
    pool.warm();
    await expect.poll(helpers).toHaveLength(1);
    const [first] = helpers();
    const long = pool.run({ do: "spin", ms: 60_000 }, "a");
    await expect.poll(helpers).toHaveLength(2);
    await expect(long).rejects.toMatchObject({ name: "BoundExceeded" });
    expect(helpers()).toHaveLength(1);
    expect(helpers()).not.toContain(first);
  },
);

test("one caller's backlog delays itself", async () => {
  const pool = poolOf();
  const order: string[] = [];
  const done = (name: string) => () => order.push(name);
  await Promise.all([
    ...Array.from({ length: 5 }, (_, index) => pool.run({ do: "spin", ms: 60 }, "busy").then(done(`busy ${index}`))),
    pool.run({ do: "echo", value: 1 }, "other").then(done("other")),
  ]);
  expect(order.indexOf("other")).toBe(1);
});

test("closing rejects what runs and what waits, and leaves no process", async () => {
  const pool = poolOf();
  const settled = Promise.allSettled([pool.run({ do: "wait" }, "a"), pool.run({ do: "wait" }, "a")]);
  if (onLinux) await expect.poll(helpers).toHaveLength(1);
  await pool.close();
  expect((await settled).map((result) => (result.status === "rejected" ? result.reason.name : ""))).toEqual([
    "PoolClosed",
    "PoolClosed",
  ]);
  await expect(pool.run({ do: "wait" }, "a")).rejects.toMatchObject({ name: "PoolClosed" });
  if (onLinux) expect(helpers()).toEqual([]);
});

test.each([["close"], ["leave"]])(
  "a program waits for its helper, and ends when nothing is left to do: %s",
  async (how) => {
    const program = fileURLToPath(new URL("./program.ts", import.meta.url));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--trace-warnings", program, how]);
    noteWarningsIn("a program with a helper", stderr);
    expect(stdout).toBe("answered");
  },
);
