// All checks and tests; at the end what was skipped, what passed only by itself, and whether docs/specification.md is
// true.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { sayEngines } from "@rubrica/test-kit/deployment";
import { runChecks } from "./check.ts";
import { faultsOf, rowsOf, type TestReport } from "./specification.ts";

const root = join(import.meta.dirname, "..");
const SPECIFICATION = join(root, "docs", "specification.md");
/** Files of tests that may fail beside the others: what breaks more than these is no accident of a busy machine. */
const FEW = 3;

/** Runs the tests that the filters name (all without one), and gives vitest's exit code and report. */
const runTests = (filters: readonly string[]): { status: number; report: TestReport } => {
  const folder = mkdtempSync(join(tmpdir(), "rubrica-test-"));
  const reportPath = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportPath}`];
  const vitest = join(root, "node_modules", ".bin", "vitest");
  const { status } = spawnSync(vitest, ["run", ...reporters, ...filters], { stdio: "inherit", cwd: root });
  const report: TestReport = existsSync(reportPath)
    ? JSON.parse(readFileSync(reportPath, "utf8"))
    : { testResults: [] };
  rmSync(folder, { recursive: true });
  return { status: status ?? 1, report };
};

/**
 * Runs the tests, and once more, by themselves, the few files that failed: beside thousands of others one may fail for the
 * machine's sake. What passed only then is told.
 */
const runTestsFairly = (filters: readonly string[]) => {
  const first = runTests(filters);
  const failed = first.report.testResults.filter(({ status }) => status === "failed").map(({ name }) => name);
  if (first.status === 0 || failed.length === 0 || failed.length > FEW) return { ...first, onlyByThemselves: [] };
  console.log(`\nFailed beside the others, and run again by themselves: ${failed.join(", ")}`);
  const again = runTests(failed.map((name) => relative(root, name)));
  const others = first.report.testResults.filter(({ name }) => !failed.includes(name));
  return {
    status: again.status,
    report: { testResults: [...others, ...again.report.testResults] },
    onlyByThemselves: again.status === 0 ? failed : [],
  };
};

const list = (title: string, lines: readonly string[]): void => {
  if (lines.length === 0) return;
  console.log(`\n${title} (${lines.length}):`);
  for (const line of lines) console.log(`  - ${line}`);
};

const filters = process.argv.slice(2);
if (filters.length === 0 && !runChecks()) process.exit(1);
const { status, report, onlyByThemselves } = runTestsFairly(filters);

const skipped = report.testResults.flatMap(({ assertionResults }) =>
  assertionResults
    .filter((test) => test.status !== "passed" && test.status !== "failed")
    .map(({ fullName }) => fullName),
);
list("Skipped, for want of what they need on this machine", skipped);

list("Failed beside the others, and passed by themselves: find out why", onlyByThemselves);

// A test that was skipped for want of a tool holds nothing here: CI has every tool, and there the table must be true.
const complete = filters.length === 0 && skipped.length === 0;
const faults = complete ? faultsOf(rowsOf(readFileSync(SPECIFICATION, "utf8")), report, root) : [];
list("docs/specification.md is not true", faults);
if (filters.length === 0) list("Engines over the wire", sayEngines());

process.exit(status === 0 && faults.length > 0 ? 1 : status);
