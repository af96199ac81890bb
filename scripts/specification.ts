// Holds docs/specification.md to what ran: each line of the API's specification names tests that passed, or says "later".
// `node scripts/specification.ts` does so with the reports that the last `npm test` and `npm run test:all` kept.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { keptReport, list, root, type TestReport } from "./testing.ts";

/** A row of the table: what the specification says, and the tests that hold it. */
export interface SpecificationRow {
  line: string;
  says: string;
  /** `path: full name` of each test; undefined when it is for later. */
  tests: readonly string[] | undefined;
}

const ROW = /^\| ([^|]+) \| (.+) \| ([^|]+) \|$/;
const TEST = /`([^`]+\.spec\.ts): ([^`]+)`/g;

/** The rows of the document's tables: three cells each, the third with tests or the word "later". */
export const rowsOf = (markdown: string): SpecificationRow[] =>
  markdown.split("\n").flatMap((text) => {
    const [, line, says, held] = ROW.exec(text) ?? [];
    if (!line || !says || !held || /^(line|-+)$/.test(line.trim())) return [];
    const tests = [...held.matchAll(TEST)].map(([, path, name]) => `${path}: ${name}`);
    return [{ line: line.trim(), says: says.trim(), tests: held.trim() === "later" ? undefined : tests }];
  });

/** What keeps the table from being true, a sentence each: rows without a test, and tests that are missing or did not pass. */
export const faultsOf = (rows: readonly SpecificationRow[], reports: readonly TestReport[]): string[] => {
  const passed = new Set<string>();
  for (const { name, assertionResults } of reports.flatMap(({ testResults }) => testResults)) {
    for (const { status, fullName } of assertionResults) {
      if (status === "passed") passed.add(`${name}: ${fullName}`);
    }
  }
  return rows.flatMap(({ line, tests }) => {
    if (!tests) return [];
    if (tests.length === 0) return [`${line} names no test`];
    return tests.filter((test) => !passed.has(test)).map((test) => `${line} names a test that did not pass: ${test}`);
  });
};

if (import.meta.main) {
  const reports = [keptReport("quick"), keptReport("all")];
  const rows = rowsOf(readFileSync(join(root, "docs", "specification.md"), "utf8"));
  const faults = faultsOf(rows, reports);
  list("docs/specification.md is not true", faults);
  console.log(`\ndocs/specification.md: ${rows.length} lines held to the reports of both commands.`);
  process.exit(faults.length > 0 ? 1 : 0);
}
