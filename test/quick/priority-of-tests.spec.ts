import { spawn } from "node:child_process";
import { once } from "node:events";
import { getPriority, setPriority } from "node:os";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PRIORITY, yieldAs } from "../../scripts/testing.ts";

let running: ReturnType<typeof spawn>;
const pid = (): number => running.pid ?? 0;

beforeEach(async () => {
  running = spawn("sh", ["-c", "read line"], { stdio: ["pipe", "ignore", "ignore"] });
  await once(running, "spawn");
});
afterEach(async () => {
  const ended = once(running, "exit");
  running.kill("SIGKILL");
  await ended;
});

test("tests of a lower priority leave room for what they test", () => {
  yieldAs(pid(), 19);
  expect(getPriority(pid())).toBe(19);
});

test("tests that somebody started at a lower priority keep it, since nobody but root may raise it", () => {
  setPriority(pid(), 19);
  yieldAs(pid(), PRIORITY);
  expect(getPriority(pid())).toBe(19);
});
