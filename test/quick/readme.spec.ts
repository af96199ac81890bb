import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { knownVersionOf } from "@rubrica/events";
import { repository } from "@rubrica/test-kit";
import { expect, test } from "vitest";

const page = (path: string): string => readFileSync(join(repository, path), "utf8");
const readme = page("README.md");
const promises = page("docs/promises.md");

const inDocs = (name: string): string => `docs/${name}.md`;
/** What a newcomer reads, each with the folder that its links start from. */
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...["integrating", "operations", "promises", "walkthrough"].map(inDocs),
];

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

test("there are promises", () => expect(rows.length).toBeGreaterThan(5));

test("the README is read in five minutes", () => expect(readme.split("\n").length).toBeLessThanOrEqual(100));

test.each(rows)("a promise names tests that there are: %s", (row) => {
  const paths = heldBy(row);
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
});

test("every path below the repository that a page names is there", () => {
  const named = [...globSync("docs/**/*.md", { cwd: repository }), "README.md", "CONTRIBUTING.md", "DEPENDENCIES.md"]
    .flatMap((name) => [...page(name).matchAll(/`((?:packages|apps|test|bench|scripts|lint|docker)\/[\w./-]+)`/g)])
    .map(([, path = ""]) => path);
  expect(named.length).toBeGreaterThan(100);
  expect([...new Set(named)].filter((path) => !existsSync(join(repository, path)) && !path.includes("/APP/"))).toEqual(
    [],
  );
});

test.each(globSync("{packages,apps}/*/README.md", { cwd: repository }))(
  "every path that is named is there: %s",
  (path) => {
    const named = [...page(path).matchAll(/`((?:packages|apps|src|test|corpus|samples)\/[\w./-]+)`/g)].map(
      ([, it = ""]) => it,
    );
    const folderOf = (it: string): string => (/^(?:packages|apps)\//.test(it) ? "" : dirname(path));
    expect(named.filter((it) => !existsSync(join(repository, folderOf(it), it)))).toEqual([]);
  },
);

test.each(pages)("every picture and page that is linked is there: %s", (path) => {
  const links = [...page(path).matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);
  const own = links.filter((target) => !/^https:\/\//.test(target)).map((target) => target.replace(/#.*$/, ""));
  const missing = own.filter((target) => target !== "" && !existsSync(join(repository, dirname(path), target)));
  expect(missing).toEqual([]);
});

test.each(["CONTRIBUTING.md", inDocs("walkthrough")])("every file and folder that is named is there: %s", (path) => {
  const named = [...page(path).matchAll(/`((?:apps|packages|test|bench|scripts|docs)\/[\w./-]+)`/g)].map(
    ([, it = ""]) => it,
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((it) => !existsSync(join(repository, it)))).toEqual([]);
});

test("every event that the walkthrough names is there", () => {
  const named = [...page(inDocs("walkthrough")).matchAll(/`([A-Z]\w+)`/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => knownVersionOf(name) === undefined)).toEqual([]);
});

test("the speeds that the README tells are those of the last full bench, in its words", () => {
  const {
    commit,
    date,
    rows: measured,
  } = JSON.parse(page("bench/results/full.json")) as {
    commit: string;
    date: string;
    rows: { what: string; measured: string; baseline: string; result: string }[];
  };
  const [, section = ""] = /\n## How fast it is\n([\s\S]*?)\n## /.exec(readme) ?? [];
  const told = section.split("\n").filter((line) => /^\| (?!what|-)/.test(line));
  expect(told).toHaveLength(5);
  const known = measured.map(
    ({ what, measured, baseline, result }) => `| ${[what, measured, baseline, result].join(" | ")} |`,
  );
  expect(told.filter((line) => !known.includes(line))).toEqual([]);
  expect(section).toContain(`${date.slice(0, 10)}, commit ${commit}`);
});
