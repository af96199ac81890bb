import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { DataFolderError } from "@rubrica/open-engines";
import { lockDataFolder } from "@rubrica/open-engines/folder-lock";
import {
  eventually,
  followWarningsOf,
  freePort,
  repository,
  spawnService,
  standStill,
  startServiceProcess,
  temporaryFolder,
} from "@rubrica/test-kit";
import { describe, expect, test } from "vitest";

/** A program that runs the service, in a process group of its own; it answers when this resolves. */
const running = async (dataDir: string, program: string, ...args: string[]): Promise<ChildProcess> => {
  const port = await freePort();
  const own = { DATA_DIR: dataDir, PORT: String(port), NODE_OPTIONS: "--trace-warnings" };
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...own };
  const child = spawn(program, args, { cwd: repository, env, stdio: ["ignore", "ignore", "pipe"], detached: true });
  followWarningsOf(program, child);
  await eventually(
    "the service to answer",
    async () => (await fetch(`http://127.0.0.1:${port}/livez`).catch(() => undefined))?.ok,
  );
  return child;
};

/** Whether the port takes connections: the system does that even for a process that stands still. */
const listens = async (port: number): Promise<boolean> => {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

/** Whether no service has the folder any more. */
const isFree = (dataDir: string): boolean => {
  try {
    lockDataFolder(dataDir).close();
    return true;
  } catch (error) {
    if (error instanceof DataFolderError) return false;
    throw error;
  }
};

describe("the service ends with what started it", () => {
  test.each([
    ["npm start, asked to", "SIGTERM", "npm", ["start"]],
    ["npm start, killed", "SIGKILL", "npm", ["start"]],
    ["the script of npm start, asked to", "SIGTERM", "node", ["scripts/run.mjs", "scripts/start.ts", "standalone"]],
    ["the script of npm start, killed", "SIGKILL", "node", ["scripts/run.mjs", "scripts/start.ts", "standalone"]],
  ] as const)("%s to end by %s", async (_what, signal, program, args) => {
    using folder = temporaryFolder();
    const child = await running(folder.path, program, ...args);
    expect(isFree(folder.path)).toBe(false);
    const closed = once(child, "close");
    child.kill(signal);
    await eventually("the service to end", () => isFree(folder.path));
    await closed;
  });
});

describe("SIGTERM", () => {
  test("while it starts ends it at once", async () => {
    // On a busy machine it may have started before that is seen: then another one is.
    const ended = await eventually("one that is still starting when it is told to end", async () => {
      using folder = temporaryFolder();
      await using service = await spawnService({ dataDir: folder.path });
      await eventually("it to be starting", () => existsSync(join(folder.path, "service.lock")));
      await standStill(service.pid);
      if (await listens(service.port)) return undefined;
      service.signal("SIGTERM");
      return { ...(await service.end("SIGCONT")), stderr: service.stderr() };
    });
    expect(ended).toEqual({ code: 0, signal: null, stderr: "" });
  });

  test("ends a service that is busy with requests; another one does so at once", async () => {
    using folder = temporaryFolder();
    await using service = await startServiceProcess({ dataDir: folder.path });
    const half = connect(service.port, "127.0.0.1").on("error", () => undefined);
    await once(half, "connect");
    const head = [
      "POST /api/v2/documentSet HTTP/1.1",
      "host: x",
      `x-api-key: ${service.apiKey}`,
      "content-type: application/json",
      "content-length: 1000",
      "expect: 100-continue",
      "",
    ];
    half.write(`${head.join("\r\n")}\r\n`);
    await once(half, "data");
    half.write("{");
    // The same request, as a terminal and npm both pass it on, is one.
    process.kill(service.pid, "SIGTERM");
    process.kill(service.pid, "SIGINT");
    let end: { code: number | null } | undefined;
    void service.ended.then((ended) => {
      end = ended;
    });
    await eventually(
      "it to refuse connections",
      async () => !(await fetch(`${service.url}/livez`).catch(() => undefined)),
    );
    expect(end).toBeUndefined();
    await eventually("it to end", () => {
      if (end === undefined) process.kill(service.pid, "SIGTERM");
      return end;
    });
    expect(end).toMatchObject({ code: 143 });
    half.destroy();
  });

  test("is not waited for longer than the limit, whatever does not end", async () => {
    const script = join(import.meta.dirname, "..", "support", "stuck.ts");
    const child = spawn(process.execPath, ["--trace-warnings", script]);
    followWarningsOf("stuck", child, true);
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    expect(await once(child, "close")).toEqual([0, null]);
  });
});
