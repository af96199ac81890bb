import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { EngineProcess } from "./engine-process.ts";

/** Which server of an engine is stopped: of a single server, the leader is the one. */
export type Which = "member" | "leader";
export type How = "kill" | "silence";

/** The operator's own programs, which stop and start servers of an engine that a URL names. */
export interface EngineCommands {
  stop(engine: string, which: Which, how: How): Promise<void>;
  start(engine: string, which: Which, how: How): Promise<void>;
}

/**
 * What ENGINES_STOP and ENGINES_START say: each is a command for the shell, which is given three words more, such as
 * `EventStoreDB leader kill`. Undefined where neither is set.
 * @throws {Error} where one is set alone: what was stopped would stay so.
 */
export const engineCommandsIn = (
  environment: Readonly<Record<string, string | undefined>>,
): EngineCommands | undefined => {
  const { ENGINES_STOP: stop, ENGINES_START: start } = environment;
  if (!stop && !start) return undefined;
  if (!stop || !start) throw new Error("ENGINES_STOP and ENGINES_START need each other: set both, or neither.");
  const run =
    (command: string) =>
    async (...words: readonly string[]): Promise<void> => {
      await promisify(execFile)("sh", ["-c", `${command} "$@"`, "sh", ...words]);
    };
  return { stop: run(stop), start: run(start) };
};

/** Whether a URL names several servers that are one engine. */
export const isCluster = (url: string): boolean => /,|^[a-z]+\+(?:discover|srv):/.test(url);

/** A single server that a URL names, stopped and started by the operator's commands. */
export const commandedEngine = (name: string, url: string, commands: EngineCommands): EngineProcess => {
  let how: How = "kill";
  // What a signal began is waited for by whatever is asked for next.
  let last: Promise<void> = Promise.resolve();
  const then = (work: () => Promise<void>): Promise<void> => {
    last = last.then(work);
    last.catch(() => {});
    return last;
  };
  const stop = (by: How) =>
    then(async () => {
      how = by;
      await commands.stop(name, "leader", by);
    });
  const start = () => then(() => commands.start(name, "leader", how));
  return {
    url,
    isTrue: true,
    signal(signal) {
      if (signal !== "SIGCONT")
        throw new Error(`${name} can't be sent ${signal}: ENGINES_STOP kills it, or silences it`);
      void start();
    },
    silence: () => stop("silence"),
    kill: () => stop("kill"),
    start,
    [Symbol.asyncDispose]: () => last,
  };
};
