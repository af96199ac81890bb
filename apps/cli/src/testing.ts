import { type Runtime, systemRuntime } from "@rubrica/runtime";
import { createProgram } from "./program.ts";

/** For tests: runs a command of the operator's, and gives the lines that it printed. */
export const linesOf = async (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  runtime: Runtime = systemRuntime(),
): Promise<string[]> => {
  const lines: string[] = [];
  const print = async (text: string) => void lines.push(text);
  await createProgram({ environment, runtime, print }).parseAsync([...args], { from: "user" });
  return lines;
};
