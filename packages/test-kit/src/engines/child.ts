import { type ChildProcess, spawn } from "node:child_process";
import { eventually } from "../polling.ts";
import { standStill } from "../standing.ts";
import { followWarningsOf } from "../warnings.ts";

const running = new Set<ChildProcess>();
// A test run that is broken off leaves no engine behind.
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** How many characters of what an engine prints are kept, for the error when it does not start. */
const KEPT_OUTPUT = 4_000;

/** A program that is started, killed and started again. */
export interface Child {
  signal(signal: NodeJS.Signals): void;
  /** Stops it where it is, until `SIGCONT`; resolves when none of its threads runs. */
  silence(): Promise<void>;
  /** Ends it with SIGKILL, whatever it was doing; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it, and resolves when `answers` does with true. @throws when it ended instead, with what it printed. */
  start(): Promise<void>;
  /** Resolves when it has ended, whoever ended it: with its exit code, null when by a signal. */
  ended(): Promise<number | null>;
  /** The end of what it has printed since it was started. */
  said(): string;
}

/**
 * A program that a test starts.
 *
 * @param options.answers asked again and again whether it is ready.
 */
export const child = (
  program: string,
  args: readonly string[],
  {
    answers,
    environment = {},
  }: { answers: () => Promise<boolean>; environment?: Readonly<Record<string, string | undefined>> },
): Child => {
  let current: { process: ChildProcess; ended: Promise<number | null>; hasEnded: boolean; output: string } | undefined;
  const spawned = () => {
    const process_ = spawn(program, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH, ...environment },
    });
    // Engines that are programs of Node: doubles of tests.
    if (program === process.execPath) followWarningsOf("engine", process_);
    running.add(process_);
    const { promise: ended, resolve } = Promise.withResolvers<number | null>();
    const started = { process: process_, ended, hasEnded: false, output: "" };
    const keep = (text: string) => {
      started.output = (started.output + text).slice(-KEPT_OUTPUT);
    };
    const end = (code: number | null = null) => {
      running.delete(process_);
      started.hasEnded = true;
      resolve(code);
    };
    process_.stdout.setEncoding("utf8").on("data", keep);
    process_.stderr.setEncoding("utf8").on("data", keep);
    process_.once("error", (error) => {
      keep(error.message);
      end();
    });
    process_.once("close", end);
    return started;
  };
  return {
    signal: (signal) => void current?.process.kill(signal),
    async silence() {
      const pid = current?.process.pid;
      if (pid !== undefined) await standStill(pid);
    },
    async kill() {
      current?.process.kill("SIGKILL");
      await current?.ended;
    },
    async start() {
      const started = spawned();
      current = started;
      await eventually(`${program} answers`, async () => {
        if (started.hasEnded) throw new Error(`${program} ended: ${started.output}`);
        return answers();
      });
    },
    ended: async () => (await current?.ended) ?? null,
    said: () => current?.output ?? "",
  };
};
