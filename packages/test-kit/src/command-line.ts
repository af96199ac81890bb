import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { startOf } from "./repository.ts";
import { followWarningsOf } from "./warnings.ts";

type Environment = Readonly<Record<string, string>>;

/** How the command line ended, and all that it wrote. */
export interface CommandLineEnd {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts `rubrica` in a process of its own, as an operator does. The test's own environment is not passed on. */
export const startCommandLine = (environment: Environment, ...args: string[]): ChildProcessWithoutNullStreams => {
  const env = { PATH: process.env.PATH, ...environment };
  const child = spawn(process.execPath, ["--trace-warnings", ...startOf("cli"), ...args], { env });
  child.stdin.end();
  return followWarningsOf("rubrica", child);
};

/** Runs `rubrica` to its end. */
export const runCommandLine = async (environment: Environment, ...args: string[]): Promise<CommandLineEnd> => {
  const child = startCommandLine(environment, ...args);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
};
