import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { variableNames } from "@rubrica/config";
import { repository } from "@rubrica/test-kit";
import { expect, test } from "vitest";

const readme = readFileSync(join(repository, "README.md"), "utf8");
const promises = readme.slice(readme.indexOf("## What it promises"), readme.indexOf("## Running it for real"));

/** The paths in a promise's second cell; a bare file name stands in the folder of the one before it. */
const heldBy = (row: string): string[] => {
  const cell = row.split("|").at(-2) ?? "";
  let folder = "";
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => {
    if (path.includes("/")) folder = path.slice(0, path.lastIndexOf("/"));
    return path.includes("/") ? path : `${folder}/${path}`;
  });
};

const rows = promises.split("\n").filter((line) => /^\| (?!promise|-)/.test(line));

test("the README makes promises", () => expect(rows.length).toBeGreaterThan(5));

test.each(rows)("a promise names tests that there are: %s", (row) => {
  const paths = heldBy(row);
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
});

test("every picture and page that the README links is there", () => {
  const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);
  const own = links.filter((target) => !target.startsWith("https://")).map((target) => target.replace(/#.*$/, ""));
  expect(own.filter((target) => !existsSync(join(repository, target)))).toEqual([]);
});

test("every variable of the environment is told of", () => {
  expect(variableNames.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});
