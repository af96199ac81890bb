import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import {
  repository,
  runCommandLine,
  type ServiceProcess,
  samplePdf,
  startServiceProcess,
  temporaryFolder,
} from "@rubrica/test-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildClient, packPackages } from "../../build.ts";
import { program, types } from "../package-programs.ts";

const own = join(repository, "packages", "client");
const installed = join(repository, "node_modules");

const compilers = {
  "the repository's TypeScript": join(installed, ".bin", "tsc"),
  "TypeScript 5": join(own, "node_modules", ".bin", "tsc"),
};

const versionOf = (node: string): string => execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
const majorOf = (version: string): number => Number(version.slice(1).split(".")[0]);

/** The Node that this runs on, and Node 20 where there is one on the path. */
const nodes = [
  process.execPath,
  ...(process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "node"))
    .filter((node) => existsSync(node) && majorOf(versionOf(node)) === 20)
    .slice(0, 1),
].map((node) => ({ node, version: versionOf(node) }));
if (nodes.length === 1) console.warn("skipped: the client's package on Node 20, of which there is none on the path");

/** What a package depends on, with all that these depend on, as folders. */
const dependenciesOf = (folder: string): string[] => {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const direct = Object.keys(dependencies).map((name) => join(installed, name));
  return [...new Set([...direct, ...direct.flatMap(dependenciesOf)])];
};

const cleanup = new AsyncDisposableStack();
const folder = cleanup.use(temporaryFolder()).path;
const project = join(folder, "project");
let service: ServiceProcess;
let environment: Record<string, string>;

/** Installs the packed client in an empty project, as anybody does, and the rest from what is installed here. */
const installClient = (): void => {
  const built = join(folder, "built");
  const packed = join(folder, "packed");
  for (const each of [built, packed, project]) mkdirSync(each);
  buildClient(built);
  const types = join(installed, "@types", "node");
  const folders = [built, ...dependenciesOf(built), types, ...dependenciesOf(types)];
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "empty", private: true }));
  const files = packPackages(folders, packed);
  execFileSync("npm", ["install", "--offline", "--ignore-scripts", "--loglevel=error", ...files], { cwd: project });
};

const openAccount = async (dataDir: string): Promise<{ api_key: string; webhook_secret: string }> => {
  const { stdout } = await runCommandLine({ DATA_DIR: dataDir }, "account", "create", "--name", "ACME", "--json");
  return JSON.parse(stdout);
};

beforeAll(async () => {
  installClient();
  const dataDir = cleanup.use(temporaryFolder()).path;
  service = cleanup.use(await startServiceProcess({ dataDir, environment: { ALLOW_PRIVATE_URLS: "true" } }));
  const { api_key, webhook_secret } = await openAccount(dataDir);
  const pdf = join(folder, "sample.pdf");
  writeFileSync(pdf, await samplePdf());
  environment = {
    RUBRICA_URL: service.url,
    RUBRICA_API_KEY: api_key,
    RUBRICA_WEBHOOK_SECRET: webhook_secret,
    PDF: pdf,
  };
});
afterAll(() => cleanup.disposeAsync());

/** What the program printed, as JSON. */
const outcomeOf = (node: string, file: string): unknown => {
  const { status, stdout, stderr } = spawnSync(node, [file], { cwd: project, env: environment, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
};

/** What every program comes to: the document was asked for, signed and told of. */
const done = {
  signed: { signed: true },
  refused: [401, { error: "Unauthorized" }],
  webhook: { type: "alert", isItsOwn: true },
  forged: "wrong_signature",
};

describe.each(nodes)("the packed client, installed in an empty project, on Node $version", ({ node }) => {
  test("works as an ES module", () => {
    const file = join(project, "use.mjs");
    writeFileSync(file, program("esm"));
    expect(outcomeOf(node, file)).toEqual(done);
  });

  test("works as CommonJS", () => {
    const file = join(project, "use.cjs");
    writeFileSync(file, program("cjs"));
    expect(outcomeOf(node, file)).toEqual(done);
  });
});

const readme = readFileSync(join(own, "README.md"), "utf8");
const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code);

/** What a TypeScript project has: a program and its types as an ES module and as CommonJS, and the README's examples. */
const sources: Record<string, string> = {
  ...Object.fromEntries(
    ["mts", "cts"].flatMap((extension) => [
      [`typed.${extension}`, program("esm")],
      [`types.${extension}`, types("esm")],
    ]),
  ),
  ...Object.fromEntries(examples.map((code, index) => [`example-${index}.mts`, code])),
};

/** Compiles the files as the strictest project has it, its dependencies' declarations too. */
const compile = (compiler: string, files: readonly string[], more: object = {}) => {
  for (const name of files) writeFileSync(join(project, name), sources[name] ?? "");
  const options = { strict: true, target: "es2022", lib: ["es2022"], types: ["node"], skipLibCheck: false };
  const tsconfig = { compilerOptions: { ...options, module: "nodenext", ...more }, files };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(tsconfig));
  const { status, stdout } = spawnSync(compiler, ["-p", project], { encoding: "utf8" });
  expect([status, stdout]).toEqual([0, ""]);
};

test.each(Object.entries(compilers))(
  "a project compiles with %s and works, as ES modules and as CommonJS; what the API does not have does not compile",
  (_, compiler) => {
    expect(examples.length).toBeGreaterThan(2);
    compile(compiler, Object.keys(sources));
    expect(readFileSync(join(project, "typed.cjs"), "utf8")).toContain("require(");
    expect(outcomeOf(process.execPath, join(project, "typed.mjs"))).toEqual(done);
    expect(outcomeOf(process.execPath, join(project, "typed.cjs"))).toEqual(done);
  },
);

test("it compiles as bundlers resolve it", () => {
  const bundled = { noEmit: true, module: "preserve", moduleResolution: "bundler" };
  compile(compilers["the repository's TypeScript"], ["typed.mts", "types.mts"], bundled);
});

test("what is installed is what was built, and tells what it needs", () => {
  const there = join(project, "node_modules", "@rubrica", "client");
  const { dependencies, ...manifest } = JSON.parse(readFileSync(join(there, "package.json"), "utf8"));
  expect(Object.keys(dependencies)).toEqual(["openapi-fetch", "standardwebhooks"]);
  expect(manifest).toMatchObject({ name: "@rubrica/client", engines: { node: ">=20" } });
  expect(manifest).not.toHaveProperty("private");
  expect(readdirSync(there).sort()).toEqual(["LICENSE", "README.md", "cjs", "esm", "package.json"]);
  expect(readdirSync(join(there, "esm")).filter((name) => !/\.(js|d\.ts)$/.test(name))).toEqual([]);
});
