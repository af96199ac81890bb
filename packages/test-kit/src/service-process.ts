import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eventLoopWatch } from "./event-loop-report.ts";
import { noteRunning } from "./left-running.ts";
import { eventually } from "./polling.ts";
import { freePort } from "./ports.ts";
import { mainOf, repository, startOf } from "./repository.ts";
import { followWarningsOf } from "./warnings.ts";

/** As `npm start` has it: a start takes half the time. */
const NODE_COMPILE_CACHE = join(repository, "node_modules", ".cache", "rubrica-compiled");
/** What lets everybody make as many requests as they like. */
export const UNLIMITED = { RATE_LIMIT_PER_MINUTE: "off", RATE_LIMIT_PER_LINK: "off", RATE_LIMIT_PER_ADDRESS: "off" };
const READY = " listens on ";

/** What a service process is started with. */
export interface ServiceProcessOptions {
  dataDir: string;
  /** The app that is started, by its folder. Default: `standalone`, the whole service. */
  app?: string;
  /** Default: a free one. */
  port?: number;
  /** The demo account's; null where there is to be none. */
  apiKey?: string | null;
  /**
   * Further environment variables. The test's own are not passed on. Requests are not limited unless these say so: tests
   * ask faster than people.
   */
  environment?: Readonly<Record<string, string>>;
  /** A program, with its arguments, that runs the service: `["strace", "-D", "-f"]`. Its process must become the service. */
  under?: readonly string[];
  /** A Unix socket on which the service tells of its main thread: see `eventLoopOf`. Default: it tells nothing. */
  eventLoopSocket?: string | undefined;
}

const SIMULATOR_KEY = "test-simulator-key-0123456789";

/** How a process ended. */
export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The standalone service, or one app, in a process of its own. */
export interface ServiceProcess extends AsyncDisposable {
  url: string;
  port: number;
  /** The demo account's; empty where there is none. */
  apiKey: string;
  simulatorKey: string;
  pid: number;
  /** All that it wrote to standard output so far: its log. */
  log(): string;
  /** Resolves when that text is in its log: it is written some time after what it tells of, an answer or a start. */
  logged(text: string): Promise<true>;
  /** All that it wrote to standard error so far: the welcome, or why it did not start. */
  stderr(): string;
  /** Resolves when it answers. @throws {ServiceProcessEnded} */
  ready: Promise<void>;
  /** Resolves when it has ended and all of its output is here. */
  ended: Promise<ProcessEnd>;
  /** Sends the signal to the service (and to nothing else). */
  signal(signal: NodeJS.Signals): void;
  /** Sends the signal to the service (and to nothing else), and resolves when it has ended. */
  end(signal: NodeJS.Signals): Promise<ProcessEnd>;
}

/** The service ended before it answered. */
export class ServiceProcessEnded extends Error {
  constructor({ code, signal }: ProcessEnd, stderr: string) {
    super(`the service ended with ${signal ?? code}: ${stderr}`);
    this.name = "ServiceProcessEnded";
  }
}

/** What `npm start` tells the runtime: to look for garbage before it has gathered, so that memory is as the docs say. */
export const runtimeFlags: readonly string[] = String(
  JSON.parse(readFileSync(join(repository, "package.json"), "utf8")).scripts.start,
)
  .split(" ")
  .filter((word) => word.startsWith("--"));

/** The program that runs an app, and its arguments. `flags`: further ones for Node. */
const commandOf = (
  { app = "standalone", under = [], environment = {} }: ServiceProcessOptions,
  flags: readonly string[],
): [program: string, ...args: string[]] => {
  const [program = process.execPath, ...args] = [
    ...under,
    process.execPath,
    "--trace-warnings",
    ...runtimeFlags,
    ...flags,
    // What is loaded before an app may change libraries, of which a bundle has copies.
    ...(environment.NODE_OPTIONS === undefined ? startOf(app) : [mainOf(app)]),
  ];
  return [program, ...args];
};

/** Starts an app (`node scripts/start.ts standalone`), without waiting for it to answer. */
export const spawnService = async (options: ServiceProcessOptions): Promise<ServiceProcess> => {
  const { dataDir, app = "standalone", apiKey = "test-key-0123456789", environment = {} } = options;
  const watch = options.eventLoopSocket === undefined ? undefined : eventLoopWatch(options.eventLoopSocket);
  const port = options.port ?? (await freePort());
  const [program, ...args] = commandOf(options, watch?.flags ?? []);
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE,
      DATA_DIR: dataDir,
      PORT: String(port),
      DEMO_API_KEY: apiKey ?? "",
      SIMULATOR_KEY,
      ...UNLIMITED,
      ...watch?.environment,
      ...environment,
    },
  });
  followWarningsOf(app, child);
  noteRunning(child);
  const output = { stdout: "", stderr: "" };
  const ended = new Promise<ProcessEnd>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      resolve({ code, signal });
    });
  });
  const ready = Promise.race([
    new Promise<void>((resolve) => {
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        output.stderr += text;
        if (output.stderr.includes(READY)) resolve();
      });
    }),
    ended.then((end) => {
      throw new ServiceProcessEnded(end, output.stderr);
    }),
  ]);
  // Whoever does not wait for it to answer waits for its end.
  ready.catch(() => {});
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  const end = (signal: NodeJS.Signals): Promise<ProcessEnd> => {
    child.kill(signal);
    return ended;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    apiKey: apiKey ?? "",
    simulatorKey: SIMULATOR_KEY,
    pid: child.pid ?? 0,
    log: () => output.stdout,
    logged: (text) => eventually(`"${text}" in the log`, () => output.stdout.includes(text)),
    stderr: () => output.stderr,
    ready,
    ended,
    signal: (signal) => void child.kill(signal),
    end,
    [Symbol.asyncDispose]: async () => void (await end("SIGKILL")),
  };
};

/** Starts the service and waits until it answers. @throws {ServiceProcessEnded} when it does not start. */
export const startServiceProcess = async (options: ServiceProcessOptions): Promise<ServiceProcess> => {
  const service = await spawnService(options);
  await service.ready;
  return service;
};
