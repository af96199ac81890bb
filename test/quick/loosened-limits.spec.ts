import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@rubrica/test-kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Limits, loosened } from "../../bench/loosened.ts";

const LIMITS: Limits = {
  ratios: { accept: { least: 0.05 }, acceptProcessor: { most: 40 } },
  counts: { sqlStatements: 300 },
};

let folder: ReturnType<typeof temporaryFolder>;
let rows: string;
beforeEach(() => {
  folder = temporaryFolder();
  rows = "| 2026-01-01 | all | the first ones |\n";
});
afterEach(() => folder[Symbol.dispose]());

const git = (...args: string[]): void => {
  const own = ["-c", "user.name=Tests", "-c", "user.email=tests@example.com", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...own, ...args], { cwd: folder.path, stdio: "ignore" });
};

/** A commit of the limits, changed so, with another row where one is given. */
const commit = (limits: Partial<Limits>, row?: string): void => {
  if (row) rows += `| 2026-01-02 | ${row} | since |\n`;
  writeFileSync(join(folder.path, "limits.json"), JSON.stringify({ ...LIMITS, ...limits }));
  writeFileSync(join(folder.path, "limits.md"), rows);
  git("add", ".");
  git("commit", "--message", "Change limits");
};

const changed = (limits: Partial<Limits>, row?: string): string[] => {
  git("init");
  commit({});
  commit(limits, row);
  return loosened(folder.path);
};

test.each<[string, Partial<Limits>, string]>([
  ["a ratio of which more is better", { ratios: { ...LIMITS.ratios, accept: { least: 0.04 } } }, "accept"],
  [
    "a ratio of which less is better",
    { ratios: { ...LIMITS.ratios, acceptProcessor: { most: 41 } } },
    "acceptProcessor",
  ],
  ["a count", { counts: { sqlStatements: 301 } }, "sqlStatements"],
  ["one that went", { counts: {} }, "sqlStatements"],
])("what was loosened without a word is named, and passes with its row: %s", (_what, limits, name) => {
  expect(changed(limits)).toEqual([name]);
  commit({});
  commit(limits, name);
  expect(loosened(folder.path)).toEqual([]);
});

test("a row of an earlier commit, or of a limit whose name begins alike, is not its own", () => {
  const limits = { ratios: { ...LIMITS.ratios, accept: { least: 0.04 } } };
  expect(changed(limits, "acceptProcessor 40")).toEqual(["accept"]);
  commit({}, "accept 0.05");
  commit(limits);
  expect(loosened(folder.path)).toEqual(["accept"]);
});

test("what was loosened without a word stays named when limits change again, until it is as it was or has its row", () => {
  const looser = { counts: { sqlStatements: 301 } };
  const others = { ratios: { ...LIMITS.ratios, accept: { least: 0.06 } } };
  expect(changed(looser)).toEqual(["sqlStatements"]);
  commit({ ...looser, ...others });
  expect(loosened(folder.path)).toEqual(["sqlStatements"]);
  commit(others);
  expect(loosened(folder.path)).toEqual([]);
  commit({ counts: { sqlStatements: 302 } }, "accept, sqlStatements");
  expect(loosened(folder.path)).toEqual([]);
});

test("what is not committed yet needs its row, too", () => {
  git("init");
  commit({});
  writeFileSync(join(folder.path, "limits.json"), JSON.stringify({ ...LIMITS, counts: { sqlStatements: 301 } }));
  expect(loosened(folder.path)).toEqual(["sqlStatements"]);
  writeFileSync(join(folder.path, "limits.md"), `${rows}| 2026-01-02 | sqlStatements | since |\n`);
  expect(loosened(folder.path)).toEqual([]);
});

test("what was tightened needs no row, and where there is no history nothing is said", () => {
  writeFileSync(join(folder.path, "limits.json"), JSON.stringify(LIMITS));
  expect(loosened(folder.path)).toEqual([]);
  expect(changed({ counts: { sqlStatements: 299 } })).toEqual([]);
});
