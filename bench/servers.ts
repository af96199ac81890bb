import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { freePort, runtimeFlags, UNLIMITED } from "@rubrica/test-kit";
import { runtime } from "./measure.ts";

const { clock } = runtime;
/** A limit, not a measure: a store of millions of events is first projected. */
const START_TIMEOUT_MS = 600_000;
const POLL_MS = 5;

export const API_KEY = "bench-key-0123456789";

/** A server in a process of its own. */
export interface RunningServer {
  url: string;
  pid: number;
  /** From the process' start to its first answer. */
  readyAfterMs: number;
  stop(): Promise<void>;
}

const start = async (script: string, env: Record<string, string>, readyPath: string): Promise<RunningServer> => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const startedMs = clock.monotonicMs();
  const child: ChildProcess = spawn(process.execPath, [...runtimeFlags, script], {
    env: { ...process.env, ...env, PORT: String(port), LOG_LEVEL: "warn" },
    stdio: "ignore",
  });
  while (!(await answers(url + readyPath))) {
    if (child.exitCode !== null || clock.monotonicMs() - startedMs > START_TIMEOUT_MS) {
      child.kill("SIGKILL");
      throw new Error(`${script} did not start`);
    }
    await clock.wait(POLL_MS);
  }
  return {
    url,
    pid: child.pid ?? 0,
    readyAfterMs: clock.monotonicMs() - startedMs,
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
};

const answers = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
};

/** The whole service, as `npm start` runs it. */
export const startRubrica = (dataDir: string, env: Record<string, string> = {}): Promise<RunningServer> =>
  start(
    join(import.meta.dirname, "..", "apps", "standalone", "src", "main.ts"),
    { DATA_DIR: dataDir, DEMO_API_KEY: API_KEY, ...UNLIMITED, ...env },
    "/readyz",
  );

/** Fastify with two bare routes: see `bare-server.ts`. */
export const startBareServer = (dataDir: string): Promise<RunningServer> =>
  start(join(import.meta.dirname, "bare-server.ts"), { DATA_DIR: dataDir }, "/status");
