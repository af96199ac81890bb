import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { repository } from "@rubrica/test-kit";
import { describe, expect, test } from "vitest";

const within = (pattern: string): string[] =>
  globSync(pattern, { cwd: repository, exclude: (name) => name.includes("node_modules") });

const specs = within("{packages,apps}/*/test/**/*.spec.ts");

/** The package, and the path in `test` that mirrors one in `src`: `system` alone says which command runs the spec. */
const placeOf = (spec: string): { owner: string; path: string } => {
  const [, owner = "", path = ""] = /^([^/]+\/[^/]+)\/test\/(.+)\.spec\.ts$/.exec(spec) ?? [];
  return { owner, path: path.replace(/(^|\/)system\//, "$1") };
};

/** What a file imports by a path of its own package. */
const importedBy = (file: string): string[] =>
  [...readFileSync(join(repository, file), "utf8").matchAll(/from "(\.\.?\/[^"]+\.ts)"/g)].map(([, path = ""]) =>
    normalize(join(dirname(file), path)),
  );

/** What the package gives others to import by a name of its own, and an app as a whole. */
const doorsOf = (owner: string): string[] => {
  const { exports = {} } = JSON.parse(readFileSync(join(repository, owner, "package.json"), "utf8"));
  return ["src/app.ts", ...Object.values<string>(exports)].map((path) => normalize(join(owner, path)));
};

describe("the test of a thing is found by the thing's path", () => {
  test.each([...new Set(specs.map((spec) => placeOf(spec).owner))])("in %s", (owner) => {
    const sources = within(`${owner}/src/**/*.ts`).map((path) => path.slice(`${owner}/src/`.length, -".ts".length));
    const doors = doorsOf(owner);
    const misplaced = specs.filter((spec) => {
      const { owner: ofSpec, path } = placeOf(spec);
      // A file that has several specs has a folder of its name.
      if (ofSpec !== owner || sources.some((source) => path === source || path.startsWith(`${source}/`))) return false;
      // A spec that is named by what several files do together stands in their folder, or bears its name.
      if (existsSync(join(repository, owner, "src", path))) return false;
      if (!existsSync(join(repository, owner, "src", dirname(path)))) return true;
      // One that looks at a single file is that file's.
      const [imported = "", ...more] = importedBy(spec);
      const isInside = imported.startsWith(`${owner}/src/`) && !doors.includes(imported);
      if (isInside && more.length === 0) return true;
      return sources.filter((source) => basename(source) === basename(path)).length === 1;
    });
    expect(misplaced).toEqual([]);
  });
});

/** One wants what projects accounts beside what finds them, one holds the simulator's page of the docs against a provider. */
const OF_SEVERAL = ["apps/query-api/test/account-directory.spec.ts", "apps/simulator/test/phone/protocol.spec.ts"];

test("a package's spec imports something of that package, or is called as a file or a folder of it", () => {
  const nameOf = (owner: string): string =>
    JSON.parse(readFileSync(join(repository, owner, "package.json"), "utf8")).name;
  const elsewhere = specs.filter((spec) => {
    const { owner, path } = placeOf(spec);
    if (within(`${owner}/src/**/${basename(path)}{,.ts}`).length > 0) return false;
    const isOwn = importedBy(spec).some((path) => path.startsWith(`${owner}/`));
    return !isOwn && !readFileSync(join(repository, spec), "utf8").includes(`"${nameOf(owner)}`);
  });
  expect(elsewhere.toSorted()).toEqual(OF_SEVERAL);
});

test("nothing imports another package's tests", () => {
  const files = within("{packages,apps,test,bench,scripts}/**/*.ts");
  const reaching = files.flatMap((file) =>
    [...readFileSync(join(repository, file), "utf8").matchAll(/from "(\.\.?\/[^"]+)"/g)]
      .map(([, path = ""]) => normalize(join(dirname(file), path)))
      // The tests of the whole service import each other, and the bench what attacks it; no package imports them.
      .filter((path) => /^(?:(packages|apps)\/[^/]+\/)?test\//.test(path))
      .filter((path) => !(path.startsWith("test/") && /^(?:test|bench|scripts)\//.test(file)))
      .filter((path) => path.startsWith("test/") || path.split("/")[1] !== file.split("/")[1])
      .map((path) => `${file} → ${path}`),
  );
  expect(reaching).toEqual([]);
});

/** One looks at all that is printed, one is no test, one only checks whether a program can be started. */
const FOLLOWED_OTHERWISE = [
  "packages/client/test/system/package.spec.ts",
  "test/support/former/make.ts",
  "test/system/deployment/apps.spec.ts",
];

test("whatever process of Node a test starts, what the runtime warns of in it fails the test's file", () => {
  const files = within("{{packages,apps}/*/test,packages/test-kit/src,test}/**/*.ts");
  const unfollowed = files.filter((file) => {
    if (file === "test/quick/layout.spec.ts") return false;
    const text = readFileSync(join(repository, file), "utf8");
    const starts =
      /\bfork\(/.test(text) || (/\b(spawn|execFile)(Sync)?\b/.test(text) && text.includes("process.execPath"));
    return starts && !/\b(followWarningsOf|noteWarningsIn)\(/.test(text);
  });
  expect(unfollowed.toSorted()).toEqual(FOLLOWED_OTHERWISE);
});

/** For each folder of `src`, those that its files import; not those that it lies in, or that lie in it: they are one thing. */
const importedFolders = (): Map<string, Set<string>> => {
  const found = new Map<string, Set<string>>();
  for (const file of within("{packages,apps}/*/src/**/*.ts")) {
    const folder = dirname(file);
    const imported = found.get(folder) ?? new Set();
    found.set(folder, imported);
    for (const [, path = ""] of readFileSync(join(repository, file), "utf8").matchAll(/"(\.\.?\/[^"]+\.ts)"/g)) {
      const other = dirname(normalize(join(dirname(file), path)));
      if (!`${other}/`.startsWith(`${folder}/`) && !`${folder}/`.startsWith(`${other}/`)) imported.add(other);
    }
  }
  return found;
};

test("no folder of a package imports, by whatever way, one that imports it", () => {
  const folders = importedFolders();
  const reachedFrom = (start: string): Set<string> => {
    const reached = new Set(folders.get(start));
    for (const folder of reached) for (const further of folders.get(folder) ?? []) reached.add(further);
    return reached;
  };
  expect([...folders.keys()].filter((folder) => reachedFrom(folder).has(folder))).toEqual([]);
});

test("each package says at its door what it is for, and what it must not know", () => {
  const silent = within("packages/*/src/index.ts").filter(
    (path) =>
      !/^(\/\/ .+\n){1,2}\/\/ It must not .+\n(\/\/ .+\n)?\n/.test(readFileSync(join(repository, path), "utf8")),
  );
  expect(silent).toEqual([]);
});
