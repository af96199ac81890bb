// All checks and tests; at the end what was skipped, and whether docs/specification.md is true.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sayEngines } from "@rubrica/test-kit/deployment";
import { runChecks } from "./check.ts";
import { faultsOf, rowsOf, type TestReport } from "./specification.ts";

const root = join(import.meta.dirname, "..");
const SPECIFICATION = join(root, "docs", "specification.md");

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

const list = (title: string, lines: readonly string[]): void => {
  if (lines.length === 0) return;
  console.log(`\n${title} (${lines.length}):`);
  for (const line of lines) console.log(`  - ${line}`);
};

const filters = process.argv.slice(2);
if (filters.length === 0 && !runChecks()) process.exit(1);
const { status, report } = runTests(filters);

const skipped = report.testResults.flatMap(({ assertionResults }) =>
  assertionResults
    .filter((test) => test.status !== "passed" && test.status !== "failed")
    .map(({ fullName }) => fullName),
);
list("Skipped, for want of what they need on this machine", skipped);

// A test that was skipped for want of a tool holds nothing here: CI has every tool, and there the table must be true.
const complete = filters.length === 0 && skipped.length === 0;
const faults = complete ? faultsOf(rowsOf(readFileSync(SPECIFICATION, "utf8")), report, root) : [];
list("docs/specification.md is not true", faults);
if (filters.length === 0) list("Engines over the wire", sayEngines());

process.exit(status === 0 && faults.length > 0 ? 1 : status);
