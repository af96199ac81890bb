// All checks and tests, and at the end what was skipped and why.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChecks } from "./check.ts";

interface JsonReport {
  testResults: { name: string; assertionResults: { status: string; fullName: string }[] }[];
}

const binary = (name: string) => join(import.meta.dirname, "..", "node_modules", ".bin", name);

const skippedTests = (reportPath: string): string[] => {
  const report: JsonReport = JSON.parse(readFileSync(reportPath, "utf8"));
  return report.testResults.flatMap(({ assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "skipped" || status === "pending")
      .map(({ fullName }) => fullName),
  );
};

const filters = process.argv.slice(2);
if (filters.length === 0 && !runChecks()) process.exit(1);

const folder = mkdtempSync(join(tmpdir(), "rubrica-test-"));
const reportPath = join(folder, "report.json");
const vitest = spawnSync(
  binary("vitest"),
  ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${reportPath}`, ...filters],
  { stdio: "inherit" },
);
const skipped = skippedTests(reportPath);
rmSync(folder, { recursive: true });
if (skipped.length > 0) {
  console.log(`\nSkipped, for want of what they need on this machine (${skipped.length}):`);
  for (const name of skipped) console.log(`  - ${name}`);
}
process.exit(vitest.status ?? 1);
