import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as domain from "@rubrica/domain";
import { obligationKinds } from "@rubrica/domain";
import { repository } from "@rubrica/test-kit";
import { describe, expect, test } from "vitest";
import { faultsOf, rowsOf } from "../../scripts/specification.ts";

const table = [
  "| line | says | held by |",
  "|---|---|---|",
  "| 2.2 name | at most 50 characters | `apps/a.spec.ts: a name has a limit` |",
  "| 4.5 | the report | later |",
  "| 7 | a text with `code` | `apps/a.spec.ts: one`, `apps/b.spec.ts: two: three` |",
].join("\n");

const report = (...tests: [string, string, string][]) => ({
  testResults: tests.map(([name, fullName, status]) => ({
    status,
    name,
    startTime: 0,
    endTime: 0,
    assertionResults: [{ fullName, status }],
  })),
});

const allPassed = report(
  ["apps/a.spec.ts", "a name has a limit", "passed"],
  ["apps/a.spec.ts", "one", "passed"],
  ["apps/b.spec.ts", "two: three", "passed"],
);

describe("the table from the specification's lines to tests", () => {
  test("is read row by row", () => {
    expect(rowsOf(table)).toEqual([
      { line: "2.2 name", says: "at most 50 characters", tests: ["apps/a.spec.ts: a name has a limit"] },
      { line: "4.5", says: "the report", tests: undefined },
      { line: "7", says: "a text with `code`", tests: ["apps/a.spec.ts: one", "apps/b.spec.ts: two: three"] },
    ]);
  });

  test("is true when every named test passed", () => {
    expect(faultsOf(rowsOf(table), [allPassed])).toEqual([]);
  });

  test("is not true when a test is missing, failed or was skipped", () => {
    const some = report(["apps/a.spec.ts", "a name has a limit", "failed"], ["apps/a.spec.ts", "one", "skipped"]);
    expect(faultsOf(rowsOf(table), [some])).toEqual([
      "2.2 name names a test that did not pass: apps/a.spec.ts: a name has a limit",
      "7 names a test that did not pass: apps/a.spec.ts: one",
      "7 names a test that did not pass: apps/b.spec.ts: two: three",
    ]);
  });

  test("is not true when a row names no test", () => {
    expect(faultsOf(rowsOf("| 9 | nothing holds this | – |"), [allPassed])).toEqual(["9 names no test"]);
  });
});

test("docs/specification.md names a spec that is there on every line that is not for later", () => {
  const rows = rowsOf(readFileSync(join(repository, "docs", "specification.md"), "utf8"));
  expect(rows.length).toBeGreaterThan(200);
  const faulty = rows.filter(({ tests }) => {
    const paths = tests?.map((name) => name.slice(0, name.indexOf(": ")));
    return paths && (paths.length === 0 || !paths.every((path) => existsSync(join(repository, path))));
  });
  expect(faulty).toEqual([]);
});

test("the domain's README says of each kind of obligation when it is owed, until when, and where it is done", () => {
  const readme = readFileSync(join(repository, "packages", "domain", "README.md"), "utf8");
  const table = readme.slice(readme.indexOf("| Kind "), readme.indexOf("The simulation runs"));
  const told = table.split("\n").flatMap((row) => {
    const [, kinds = "", , , doer = ""] = row.split("|");
    const file = doer.replaceAll(/[ `]/g, "");
    return [...kinds.matchAll(/`([^`]+)`/g)].map(([, kind = ""]) => ({ kind, file }));
  });
  expect(told.map(({ kind }) => kind).toSorted()).toEqual(obligationKinds.toSorted());
  const astray = told.filter(({ kind, file }) => {
    const path = join(repository, "apps", "subscribers", "src", file);
    const names = [`"${kind}"`, `${kind}: `, ...(kind.startsWith("send-") ? ["`send-$"] : [])];
    return !file.endsWith(".ts") || !names.some((name) => readFileSync(path, "utf8").includes(name));
  });
  expect(astray).toEqual([]);
});

test("the domain's README names every decider, by the stream that it decides for", () => {
  const folder = join(repository, "packages", "domain");
  const code = globSync("src/**/*.ts", { cwd: folder }).map((path) => readFileSync(join(folder, path), "utf8"));
  const decides = /export const (\w+) = \((?:[^()]|\([^()]*\))*\): (?:readonly )?\w*Event\[\] =>/g;
  const deciders = code
    .flatMap((text) => [...text.matchAll(decides)].map(([, name = ""]) => name))
    .filter((name) => name in domain);
  expect(deciders.length).toBeGreaterThan(50);
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const table = readme.slice(0, readme.indexOf("## Rules"));
  expect(deciders.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
});
