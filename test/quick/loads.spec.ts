import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "@rubrica/test-kit";
import { build, type Metafile, stop } from "esbuild";
import { afterAll, expect, test } from "vitest";

/** What each process or thread loads when it starts, by its entry: our packages, and libraries that our code imports. */
const LISTED = join(import.meta.dirname, "loads.json");

interface Loads {
  packages: string[];
  libraries: string[];
}

afterAll(() => stop());

const entries = [
  ...globSync("apps/*/src/main.ts", { cwd: repository }),
  ...globSync("packages/!(test-kit)/src/**/{*-worker,child}.ts", { cwd: repository }),
  ...globSync("packages/*/src/**/helper.ts", { cwd: repository }).filter((path) =>
    readFileSync(join(repository, path), "utf8").includes('from "@rubrica/helpers/serve"'),
  ),
].toSorted();

/** The files that are loaded with one, without those that a process loads later, for an engine that it was given. */
const loadedWith = (entry: string, { inputs }: Metafile): string[] => {
  const found = new Set([entry]);
  for (const path of found)
    for (const { path: imported, kind } of inputs[path]?.imports ?? [])
      if (kind !== "dynamic-import") found.add(imported);
  return [...found];
};

const packageOf = (name: string): string =>
  name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");

const loadsOf = async (entry: string): Promise<Loads> => {
  const { metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: repository,
    write: false,
    bundle: true,
    metafile: true,
    platform: "node",
    format: "esm",
    logLevel: "silent",
    plugins: [
      {
        name: "libraries-stay-outside",
        setup: ({ onResolve }) =>
          onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === "entry-point" || path.startsWith("@rubrica/") ? undefined : { path, external: true },
          ),
      },
    ],
  });
  const loaded = loadedWith(entry, metafile);
  const own = loaded.filter((path) => path in metafile.inputs);
  const packages = own.map((path) => path.split("/").slice(0, 2)).filter(([kind]) => kind === "packages");
  const libraries = loaded.filter(
    (path) => !(path in metafile.inputs) && (!path.startsWith("node:") || path === "node:sqlite"),
  );
  return {
    packages: [...new Set(packages.map(([, name = ""]) => name))].toSorted(),
    libraries: [...new Set(libraries.map(packageOf))].toSorted(),
  };
};

/** What speaks to engines. */
const DRIVERS = ["node:sqlite", "mongodb", "@eventstore/db-client", "nats"];

test("each process and thread loads the packages and libraries that are listed for it, and no other", async () => {
  const loads: Record<string, Loads> = Object.fromEntries(
    await Promise.all(entries.map(async (entry) => [entry, await loadsOf(entry)])),
  );
  expect(loads).toEqual(JSON.parse(readFileSync(LISTED, "utf8")));
  // Strangers reach it, and it has nothing to store.
  const { libraries = [] } = loads["apps/signing-web/src/main.ts"] ?? {};
  expect(libraries.filter((name) => DRIVERS.includes(name))).toEqual([]);
});
