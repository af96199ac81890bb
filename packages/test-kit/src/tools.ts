import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

const searchPath = (process.env.PATH ?? "").split(delimiter);

/** Says, on the console and to who runs the tests, that some of the file that runs are skipped for want of these. */
export const noteMissing = (...missing: string[]): void => {
  if (missing.length === 0) return;
  console.warn(`skipped: tests that need ${missing.join(", ")}`);
  const { RUBRICA_TEST_MISSING: notes, RUBRICA_TEST_FILE: file = "" } = process.env;
  if (notes) appendFileSync(notes, missing.map((what) => `${JSON.stringify({ file, what })}\n`).join(""));
};

/** The path of a program (a name, or an absolute path); undefined when it is not on this machine. */
export const pathOf = (program: string): string | undefined =>
  [isAbsolute(program) ? program : undefined, ...searchPath.map((folder) => join(folder, program))].find(
    (path) => path !== undefined && existsSync(path),
  );

/** Whether any of these programs (names, or absolute paths) is not on this machine; notes that it is missing. */
export const toolsMissing = (...programs: string[]): boolean => {
  const missing = programs.filter((program) => pathOf(program) === undefined);
  noteMissing(...missing);
  return missing.length > 0;
};

/** A program's exit code and all that it printed, standard output first. */
export const outputOf = (program: string, ...args: string[]): { code: number | null; text: string } => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  return { code: status, text: stdout + stderr };
};

/** The Python that RUBRICA_PYTHON names, or the machine's. */
export const python = process.env.RUBRICA_PYTHON ?? "python3";

/** Whether a Python has a module; says on the console what is skipped without it. */
export const hasPythonModule = (module: string, name = module): boolean => {
  const found = spawnSync(python, ["-c", `import ${module}`]).status === 0;
  if (!found) noteMissing(`${name} (RUBRICA_PYTHON)`);
  return found;
};
