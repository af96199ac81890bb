import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { usageOf } from "@rubrica/helpers/usage";
import { freePort, runtimeFlags, startOf, UNLIMITED } from "@rubrica/test-kit";
import { runtime } from "./measure.ts";

const { clock } = runtime;
/** A limit, not a measure: a store of millions of events is first projected. */
const START_TIMEOUT_MS = 600_000;
const POLL_MS = 5;

export const API_KEY = "bench-key-0123456789";
export const SIMULATOR_KEY = "bench-simulator-0123456789";

/** A server in a process of its own. */
export interface RunningServer {
  url: string;
  pid: number;
  /** From the process' start to its first answer. */
  readyAfterMs: number;
  stop(): Promise<void>;
}

/** How a server is started, beside its script and variables. */
export interface HowStarted {
  /** A program that runs the runtime, with its options. */
  under?: readonly string[];
  /** Of the runtime. */
  flags?: readonly string[];
}

const start = async (
  script: readonly string[],
  env: Record<string, string>,
  readyPath: string,
  { under = [], flags = [] }: HowStarted = {},
): Promise<RunningServer> => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const startedMs = clock.monotonicMs();
  const [program = process.execPath, ...args] = [...under, process.execPath, ...runtimeFlags, ...flags, ...script];
  const child: ChildProcess = spawn(program, args, {
    env: { ...process.env, ...env, PORT: String(port), LOG_LEVEL: "warn" },
    stdio: "ignore",
  });
  // A part that fails may leave it.
  const kill = (): void => void child.kill();
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  while (!(await answers(url + readyPath))) {
    if (child.exitCode !== null || clock.monotonicMs() - startedMs > START_TIMEOUT_MS) {
      child.kill("SIGKILL");
      throw new Error(`${script.join(" ")} did not start`);
    }
    await clock.wait(POLL_MS);
  }
  const pid = under.length === 0 ? (child.pid ?? 0) : childOf(child.pid ?? 0);
  return {
    url,
    pid,
    readyAfterMs: clock.monotonicMs() - startedMs,
    async stop() {
      const ended = once(child, "exit");
      // What runs it under another program is told by its own id.
      process.kill(pid, "SIGTERM");
      await ended;
    },
  };
};

/** The first process that a process started. */
const childOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ")[0]);

const answers = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
};

/** The whole service, as `npm start` runs it. */
export const startRubrica = (
  dataDir: string,
  env: Record<string, string> = {},
  how: HowStarted = {},
): Promise<RunningServer> =>
  start(
    startOf("standalone"),
    { DATA_DIR: dataDir, DEMO_API_KEY: API_KEY, SIMULATOR_KEY, ...UNLIMITED, ...env },
    "/readyz",
    how,
  );

/** Fastify with two bare routes: see `bare-server.ts`. */
export const startBareServer = (dataDir: string): Promise<RunningServer> =>
  start([join(import.meta.dirname, "bare-server.ts")], { DATA_DIR: dataDir }, "/status");

/** A message of the simulated phones. */
export interface SimulatedMessage {
  id: string;
  link: string | null;
}

/** What was sent to a phone, the first message first. */
export const messagesTo = async (url: string, phone: string): Promise<SimulatedMessage[]> => {
  const headers = { "x-simulator-key": SIMULATOR_KEY };
  const response = await fetch(`${url}/simulator/messages?phone=${phone}`, { headers });
  return (await response.json()) as SimulatedMessage[];
};

/** Time of processors that a server and each kind of its helpers had until now, in milliseconds. */
export const processorMsOf = ({ pid }: RunningServer): ReadonlyMap<string, number> => {
  const byName = new Map<string, number>();
  const add = (name: string, ms: number): void => void byName.set(name, (byName.get(name) ?? 0) + ms);
  add("service", usageOf(pid)?.cpuMs ?? 0);
  for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const [stat, title] = [textOf(`/proc/${entry}/stat`), textOf(`/proc/${entry}/cmdline`)];
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    if (parent === pid) add(/rubrica: ([\w ]*\w)/.exec(title)?.[1] ?? "others", usageOf(Number(entry))?.cpuMs ?? 0);
  }
  return byName;
};

const textOf = (path: string): string => {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // It ended meanwhile.
    return "";
  }
};
