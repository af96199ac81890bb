import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { eventually, noteMissing, temporaryFolder, toolsMissing } from "@rubrica/test-kit";
import { followWarningsOf, noteWarningsIn } from "@rubrica/test-kit/warnings";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LauncherError, openOtherUser } from "../src/index.ts";

/** Users that no machine is likely to have; they need no name. */
const [SERVICE, HELPERS] = [10_001, 10_002];
const PROGRAM = join(import.meta.dirname, "other-user-program.ts");
const asService = ["--reuid", String(SERVICE), "--regid", String(SERVICE), "--clear-groups", "--"];

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
chmodSync(folder.path, 0o755);

const launcherOf = (name: string, { uid = HELPERS, gid = HELPERS, mode = 0o6755 } = {}): string => {
  const path = join(folder.path, name);
  copyFileSync("/usr/bin/setpriv", path);
  chownSync(path, uid, gid);
  chmodSync(path, mode);
  return path;
};

/** Whether this is root, and both users can read and run what lies here. */
const canSwitch = (): boolean => {
  if (process.getuid?.() !== 0 || toolsMissing("setpriv")) return false;
  const switched = ["--reuid", String(HELPERS), "--regid", String(HELPERS), "--keep-groups", "--"];
  const program = [launcherOf("probe"), ...switched, process.execPath, "--check", PROGRAM];
  return spawnSync("setpriv", [...asService, ...program], { stdio: "ignore", cwd: "/" }).status === 0;
};

const why = canSwitch() ? "" : " (skipped: only root can start both users, and both must be able to read this folder)";

if (why !== "") noteMissing("root, and a folder that other users can read");
describe.skipIf(why !== "")(`a helper of another user${why}`, () => {
  const outcomes = new Map<string, unknown>();
  let service: ChildProcess;

  beforeAll(async () => {
    // Further below than helpers set themselves, and no user but root may rise from there.
    const lowly = ["-n", "19", "setpriv", ...asService, process.execPath, "--trace-warnings"];
    service = spawn("nice", [...lowly, PROGRAM, launcherOf("launcher")], {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: "/",
      env: { SECRET: "a telltale of the service's own" },
    });
    followWarningsOf("a service of another user", service, true);
    if (!service.stdout) throw new Error("no output");
    for await (const text of createInterface({ input: service.stdout })) {
      const [what, outcome] = JSON.parse(text);
      outcomes.set(what, outcome);
      if (what === "busy") break;
    }
  });
  afterAll(() => service.kill("SIGKILL"));

  test("runs as that user in every way, with no right and no way to one", () => {
    const all = (id: number) => Array(4).fill(id).join("\t");
    expect(outcomes.get("own")).toBe(all(SERVICE));
    expect(outcomes.get("helper")).toEqual({ uid: all(HELPERS), gid: all(HELPERS), caps: "0".repeat(16), gains: "1" });
    expect(outcomes.get("priorities")).toEqual([19, 19]);
  });

  test("is given nothing of the service's environment, and reads neither that nor its memory, nor ends it", () => {
    expect(outcomes.get("names")).not.toContain("SECRET");
    expect(outcomes.get("its environment")).toBe(1);
    expect(outcomes.get("its memory")).toBe(1);
    expect(outcomes.get("its end")).toBe(1);
  });

  test("answers, and is ended beyond its bounds as the service's own are", () => {
    expect(outcomes.get("echo")).toBe(2_000_000);
    expect(outcomes.get("spin")).toBe("time");
    expect(outcomes.get("hold")).toBe("memory");
    expect(outcomes.get("fill")).toBe("memory");
    expect(outcomes.get("die")).toBe("HelpersBusy");
    expect(outcomes.get("after")).toBe(1);
  });

  test("ends with the service, though it is busy and the service was killed", async () => {
    expect(ofUser(HELPERS).length).toBeGreaterThan(0);
    service.kill("SIGKILL");
    await eventually("no process of that user", () => ofUser(HELPERS).length === 0);
  });
});

describe.skipIf(process.getuid?.() !== 0)("a launcher", () => {
  const message = (path: string): string => {
    const module = join(import.meta.dirname, "..", "src", "index.ts");
    const script = `import(${JSON.stringify(module)}).then(({ openOtherUser }) => openOtherUser(process.argv[1])).catch(({ name, message }) => console.log(name, message))`;
    const args = [...asService, process.execPath, "--trace-warnings", "--eval", script, path];
    const { stdout, stderr } = spawnSync("setpriv", args, { cwd: "/", env: {}, encoding: "utf8" });
    noteWarningsIn("a service with a launcher", stderr);
    return stdout;
  };

  test.skipIf(why !== "").each([
    ["missing", () => join(folder.path, "none"), "there is no such file"],
    ["without its bits", () => launcherOf("plain", { mode: 0o755 }), "it lacks a set-user-ID or set-group-ID bit"],
    ["root's", () => launcherOf("roots", { uid: 0 }), "it has to belong to another user"],
    ["the service's own", () => launcherOf("own", { uid: SERVICE }), "it has to belong to another user"],
  ])("that is %s is refused", (_name, path, why) => {
    expect(message(path())).toContain(`LauncherError ${why}`);
  });

  test("is nothing for a service that runs as root", () => {
    expect(() => openOtherUser(launcherOf("for-root"))).toThrow(LauncherError);
  });
});

/** The processes of a user. */
const ofUser = (uid: number): string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return new RegExp(`^Uid:\\s+${uid}\\s`, "m").test(readFileSync(`/proc/${pid}/status`, "latin1"));
      } catch {
        return false;
      }
    });
