import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { python, standStill, temporaryFolder, toolsMissing } from "../src/index.ts";
import { eventually } from "../src/polling.ts";

/**
 * A thread that starts a program runs on until the program has opened its files, whatever signal its process has: here
 * until somebody writes to the pipe.
 */
const STARTING = `
import os, sys, threading, time
opens = [(os.POSIX_SPAWN_OPEN, 0, sys.argv[1], os.O_RDONLY, 0)]
threading.Thread(target=lambda: os.posix_spawn("/bin/true", ["true"], {}, file_actions=opens), daemon=True).start()
time.sleep(600)
`;

/** Of each thread, in their order. */
const statesOf = (pid: number): string =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => /\) (\w)/.exec(readFileSync(`/proc/${pid}/task/${thread}/stat`, "latin1"))?.[1])
    .join("");

test.skipIf(process.platform !== "linux" || toolsMissing(python))(
  "a process is said to stand still when each of its threads does",
  async () => {
    using folder = temporaryFolder();
    const pipe = join(folder.path, "pipe");
    execFileSync("mkfifo", [pipe]);
    const stopped = spawn(python, ["-c", STARTING, pipe], { stdio: "ignore" });
    const pid = stopped.pid ?? 0;
    try {
      await eventually("one thread to start a program", () => statesOf(pid) === "SD");
      let isSaid = false;
      const standing = standStill(pid).then(() => {
        isSaid = true;
      });
      await eventually("the other thread to stand", () => statesOf(pid) === "TD");
      const wasSaid = isSaid;
      writeFileSync(pipe, "");
      await standing;
      expect([wasSaid, statesOf(pid)]).toEqual([false, "TT"]);
    } finally {
      stopped.kill("SIGKILL");
    }
  },
);
