// Builds the client as a package that others install, and packs it: `npm run pack:client`.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const own = import.meta.dirname;
const repository = join(own, "..", "..");
const compiler = join(repository, "node_modules", ".bin", "tsc");

const formats = {
  esm: [],
  cjs: ["--module", "commonjs", "--moduleResolution", "bundler", "--verbatimModuleSyntax", "false"],
};

const run = (program: string, ...args: readonly string[]): string => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: own, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}:\n${stdout}${stderr}`);
  return stdout;
};

/** What the package says of itself; the workspace's own is for who reads its source. */
const manifest = (): object => {
  const { name, version, description, license, type, dependencies } = JSON.parse(
    readFileSync(join(own, "package.json"), "utf8"),
  );
  const builtAs = (format: string) => ({ types: `./${format}/index.d.ts`, default: `./${format}/index.js` });
  return {
    ...{ name, version, description, license, type },
    engines: { node: ">=20" },
    sideEffects: false,
    exports: { ".": { import: builtAs("esm"), require: builtAs("cjs") }, "./package.json": "./package.json" },
    dependencies,
  };
};

/** Builds the package in an empty folder. @throws when it does not compile. */
export const buildClient = (folder: string): void => {
  for (const [format, options] of Object.entries(formats)) {
    run(compiler, "-p", "tsconfig.build.json", "--outDir", join(folder, format), ...options);
  }
  writeFileSync(join(folder, "cjs", "package.json"), `${JSON.stringify({ type: "commonjs" })}\n`);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
  copyFileSync(join(own, "README.md"), join(folder, "README.md"));
  copyFileSync(join(repository, "LICENSE"), join(folder, "LICENSE"));
};

/**
 * Packs packages, given by their folders, into files in another folder, without asking any registry.
 * @returns the files' paths.
 */
export const packPackages = (folders: readonly string[], into: string): string[] => {
  const options = ["--offline", "--ignore-scripts", "--json", "--loglevel=error", "--pack-destination", into];
  const packed: { filename: string }[] = Object.values(JSON.parse(run("npm", "pack", ...options, ...folders)));
  return packed.map(({ filename }) => join(into, filename));
};

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), "rubrica-client-"));
  const artifacts = join(repository, "artifacts");
  mkdirSync(artifacts, { recursive: true });
  try {
    buildClient(folder);
    console.log(packPackages([folder], artifacts).join("\n"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
