// Holds docs/specification.md to what ran: each line of the API's specification names tests that passed, or says "later".
import { relative } from "node:path";

/** What vitest's JSON reporter says of a run. */
export interface TestReport {
  testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[];
}

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
export const faultsOf = (rows: readonly SpecificationRow[], report: TestReport, root: string): string[] => {
  const passed = new Set<string>();
  for (const { name, assertionResults } of report.testResults) {
    for (const { status, fullName } of assertionResults) {
      if (status === "passed") passed.add(`${relative(root, name)}: ${fullName}`);
    }
  }
  return rows.flatMap(({ line, tests }) => {
    if (!tests) return [];
    if (tests.length === 0) return [`${line} names no test`];
    return tests.filter((test) => !passed.has(test)).map((test) => `${line} names a test that did not pass: ${test}`);
  });
};
