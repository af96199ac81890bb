import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

const isThere = (program: string): boolean =>
  isAbsolute(program)
    ? existsSync(program)
    : (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));

/** Whether any of these programs (names, or absolute paths) is not on this machine; says so on the console when one is not. */
export const toolsMissing = (...programs: string[]): boolean => {
  const missing = programs.filter((program) => !isThere(program));
  if (missing.length > 0) console.warn(`skipped: tests that need ${missing.join(", ")}, which is not installed`);
  return missing.length > 0;
};

/** A program's exit code and all that it printed, standard output first. */
export const outputOf = (program: string, ...args: string[]): { code: number | null; text: string } => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  return { code: status, text: stdout + stderr };
};
