// Runs vitest, and says what a person wants to know of a run: what took longest, and what was skipped for want of what.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants, getPriority, setPriority, tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

export const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules", ".bin", "vitest");
const SLOWEST = 10;
const LINES_OF_A_FAILURE = 6;
/**
 * About that of the service's helpers (10), which get a tenth of what a process of the usual priority does: beside tests
 * of that, a helper waits for seconds, and what has to be done within some is not.
 */
export const PRIORITY = 9;
/** They judge who comes first, what has to be done within seconds, and how many calls come of what is done in time. */
const OF_USUAL_PRIORITY = ["attacks", "counted", "alone"];
/** Whatever else runs beside it has only what it leaves of the processors. */
const UNDISTURBED = "counted";

/** What vitest's JSON reporter says of a run; the files by their paths in the repository. */
export interface TestReport {
  testResults: {
    name: string;
    status: string;
    /** Why the file failed as a whole, if it did. */
    message?: string;
    /** Milliseconds since 1970. */
    startTime: number;
    endTime: number;
    assertionResults: { status: string; fullName: string; failureMessages?: string[] }[];
  }[];
}

/** What a file of tests looked for on this machine, and did not find. */
interface Missing {
  file: string;
  what: string;
}

export interface TestRun {
  /** Vitest's exit code. */
  status: number;
  report: TestReport;
  missing: Missing[];
}

const linesOf = (path: string): string[] =>
  existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];

/** How vitest is run. */
interface RunOptions {
  /** Added to the script's own environment. */
  env?: Readonly<Record<string, string>>;
  /** Whether it prints when it has ended: another run goes on meanwhile. */
  printsLater?: boolean;
  /** That of its processes. Default: the usual one of those that are to have it, for others one that leaves them room. */
  priority?: number;
}

/** The priority of the processes that run these projects. */
export const priorityOf = (projects: readonly string[]): number =>
  projects.some((project) => OF_USUAL_PRIORITY.includes(project)) ? 0 : PRIORITY;

/** Gives a process this priority, unless it was started with a lower one: nobody but root may raise that. */
export const yieldAs = (pid: number, priority: number): void => {
  if (getPriority(pid) < priority) setPriority(pid, priority);
};

/** Runs the tests of these projects, of which `args` may pick some. */
export const runTests = async (
  projects: readonly string[],
  args: readonly string[],
  { env = {}, printsLater = false, priority = priorityOf(projects) }: RunOptions = {},
): Promise<TestRun> => {
  const folder = mkdtempSync(join(tmpdir(), "rubrica-test-"));
  const [reportPath, missingPath] = [join(folder, "report.json"), join(folder, "missing")];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportPath}`];
  const chosen = projects.flatMap((project) => ["--project", project]);
  const printedPath = join(folder, "printed");
  const printed = printsLater ? openSync(printedPath, "w") : "inherit";
  const running = spawn(vitest, ["run", ...chosen, ...reporters, ...args], {
    stdio: ["ignore", printed, printed],
    cwd: root,
    env: { ...process.env, ...env, RUBRICA_TEST_MISSING: missingPath },
  });
  if (running.pid !== undefined) yieldAs(running.pid, priority);
  const [status] = (await once(running, "exit")) as [number | null];
  if (printed !== "inherit") {
    closeSync(printed);
    process.stdout.write(readFileSync(printedPath));
  }
  const { testResults }: TestReport = existsSync(reportPath)
    ? JSON.parse(readFileSync(reportPath, "utf8"))
    : { testResults: [] };
  const missing = linesOf(missingPath).map((line): Missing => JSON.parse(line));
  rmSync(folder, { recursive: true });
  return {
    status: status ?? 1,
    report: { testResults: testResults.map((file) => ({ ...file, name: relative(root, file.name) })) },
    missing: missing.map(({ file, what }) => ({ file: relative(root, file), what })),
  };
};

/**
 * Runs each group of projects by itself, all groups at the same time; one after the other prints what became of it. The
 * first is the one that takes longest.
 */
export const runTogether = async (groups: readonly (readonly string[])[]): Promise<TestRun> => {
  const yields = (group: readonly string[]): boolean =>
    groups.some((other) => other !== group && other.includes(UNDISTURBED));
  const runs = groups.map((group, index) => {
    const lowest = yields(group) ? { priority: constants.priority.PRIORITY_LOW } : {};
    return runTests(group, [], { printsLater: index > 0, ...lowest });
  });
  return merged(await Promise.all(runs));
};

/** What became of several runs, as one. */
export const merged = (runs: readonly TestRun[]): TestRun => ({
  status: runs.find(({ status }) => status !== 0)?.status ?? 0,
  report: { testResults: runs.flatMap(({ report }) => report.testResults) },
  missing: runs.flatMap(({ missing }) => missing),
});

const pathOfReport = (command: "quick" | "all"): string =>
  join(root, "node_modules", ".cache", "rubrica-tests", `${command}.json`);

/** Keeps what the last run of `npm test` ("quick") or `npm run test:all` came to, for `scripts/specification.ts`. */
export const keepReport = ({ report }: TestRun, command: "quick" | "all"): void => {
  const path = pathOfReport(command);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(report));
};

/** @throws {Error} when that command did not run here. */
export const keptReport = (command: "quick" | "all"): TestReport =>
  JSON.parse(readFileSync(pathOfReport(command), "utf8"));

/** Prints a titled list, unless it is empty. */
export const list = (title: string, lines: readonly string[]): void => {
  if (lines.length === 0) return;
  console.log(`\n${title}:`);
  for (const line of lines) console.log(`  - ${line}`);
};

/** What failed, each with the first lines of why: a log that is cut keeps its end. */
export const sayFailed = ({ status, report }: TestRun): void => {
  const why = (text: string | undefined): string => (text ?? "").split("\n", LINES_OF_A_FAILURE).join("\n      ");
  const failed = report.testResults.flatMap(({ name, status: ofFile, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === "failed");
    if (tests.length === 0 && ofFile === "failed") return [`${name}\n      ${why(message)}`];
    return tests.map(({ fullName, failureMessages }) => `${name} > ${fullName}\n      ${why(failureMessages?.[0])}`);
  });
  list("Failed", failed);
  if (status !== 0 && failed.length === 0) console.log("\nNo test failed, but the run did: look above for errors.");
};

/** The files that took longest, with their seconds. */
export const saySlowest = ({ report }: TestRun): void => {
  const timed = report.testResults.map(({ name, startTime, endTime }) => ({ name, ms: endTime - startTime }));
  const slowest = timed.sort((one, other) => other.ms - one.ms).slice(0, SLOWEST);
  list(
    "The slowest files",
    slowest.map(({ name, ms }) => `${(ms / 1_000).toFixed(1)} s  ${name}`),
  );
};

/** What was skipped, by file, with what it wanted; gives how many tests that were. */
export const saySkipped = ({ report, missing }: TestRun): number => {
  const files = report.testResults.flatMap(({ name, assertionResults }) => {
    const count = assertionResults.filter(({ status }) => status !== "passed" && status !== "failed").length;
    const wanted = new Set(missing.filter(({ file }) => file === name).map(({ what }) => what));
    return count > 0 ? [{ name, count, wanted: [...wanted].sort().join(", ") }] : [];
  });
  const total = files.reduce((sum, { count }) => sum + count, 0);
  list(
    `Skipped (${total})`,
    files.map(({ name, count, wanted }) => `${count} in ${name}, for want of: ${wanted || "no tool; see the file"}`),
  );
  return total;
};
