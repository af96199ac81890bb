import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { serveTasks } from "../src/serve.ts";

/** What the tests have a helper do. */
export type TestTask =
  | { do: "echo"; value: unknown }
  | { do: "hash"; bytes: Uint8Array }
  | { do: "throw" }
  | { do: "spin"; ms: number }
  | { do: "hold" | "keep"; mb: number; ms: number }
  | { do: "litter"; objects: number }
  | { do: "fill" }
  | { do: "overgrow" }
  | { do: "die" }
  | { do: "wait" }
  | { do: "environment" }
  | { do: "warn"; about: string }
  | { do: "read" | "write" | "start"; what: string };

const usedUs = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

const spin = (ms: number): void => {
  const until = usedUs() + ms * 1_000;
  while (usedUs() < until);
};

const kept: Buffer[] = [];

serveTasks((task: TestTask): unknown => {
  switch (task.do) {
    case "echo":
      return task.value;
    case "hash":
      return createHash("sha256").update(task.bytes).digest("hex");
    case "throw":
      throw new Error("thrown by the task");
    case "spin":
      return spin(task.ms);
    case "hold":
    case "keep": {
      const held = Buffer.alloc(task.mb * 1_048_576, 1);
      if (task.do === "keep") kept.push(held);
      spin(task.ms);
      return held.length;
    }
    case "litter":
      return Array.from({ length: task.objects }, (_, index) => ({ index })).length;
    case "fill": {
      const all: unknown[] = [];
      for (;;) all.push({ count: all.length });
    }
    case "overgrow": {
      const map = new Map<number, number>();
      for (let key = 0; ; key++) map.set(key, key);
    }
    case "die":
      return process.kill(process.pid, "SIGKILL");
    case "warn":
      return process.emitWarning(task.about, { type: "TestWarning" });
    case "wait":
      return new Promise(() => undefined);
    case "read":
      return readFileSync(task.what, "utf8");
    case "write":
      return writeFileSync(task.what, "");
    case "start":
      return execFileSync(task.what);
    case "environment":
      return { names: Object.keys(process.env), pid: process.pid };
    default:
      return task satisfies never;
  }
});
