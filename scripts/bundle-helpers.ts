// Makes one file of each module that runs as a helper process, with the libraries that it loads: 500 files less to find
// and to read, and no types to strip, at each start of a helper. `npm ci` runs this, tests and bench begin with it.
// Where a bundle is missing or old, helpers run their modules as they are.
import { globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { BUNDLES, type BundleSources, bundleOf, INSTALLED, isFresh, ROOT, sourceOf } from "@rubrica/helpers/bundle";
import { build, type Plugin, stop } from "esbuild";

/** Code that finds files beside itself goes on finding them. */
const keepsAddresses: Plugin = {
  name: "keeps-addresses",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.(ts|js|mjs)$/ }, ({ path }) => {
      const code = readFileSync(path, "utf8");
      if (!/import\.meta\.(url|dirname|filename)/.test(code)) return undefined;
      const contents = code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href));
      if (/import\.meta\.(dirname|filename)/.test(contents))
        throw new Error(`${path}: only import.meta.url is bundled`);
      return { contents, loader: path.endsWith(".ts") ? "ts" : "js" };
    });
  },
};

/** Libraries of CommonJS ask for Node's own modules in this way. */
const banner = 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);';

/** Written beside it first, so that no process sees half of it. Another user's helpers read it. */
const replace = (path: string, content: string | Uint8Array): void => {
  const written = `${path}.${process.pid}`;
  writeFileSync(written, content, { mode: 0o644 });
  renameSync(written, path);
};

const bundle = async (entry: string): Promise<void> => {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: ROOT,
    write: false,
    bundle: true,
    metafile: true,
    platform: "node",
    format: "esm",
    target: "node24",
    // Machine code, and programs that look for a file beside their own.
    external: ["sharp", "harfbuzzjs", "node-forge"],
    banner: { js: banner },
    plugins: [keepsAddresses],
    logLevel: "silent",
  });
  const own = Object.keys(metafile.inputs).filter((path) => !path.startsWith("node_modules/"));
  const made: BundleSources = { sources: [...own, INSTALLED].map(sourceOf) };
  const paths = bundleOf(entry);
  // In this order: what is half done is not fresh.
  replace(paths.sources, "{}");
  for (const { contents } of outputFiles) replace(paths.bundle, contents);
  replace(paths.sources, JSON.stringify(made));
};

/** Makes what is missing or old. */
export const bundleHelpers = async (): Promise<void> => {
  const entries = globSync("packages/*/src/**/helper.ts", { cwd: ROOT })
    .map((path) => join(ROOT, path))
    .filter((path) => readFileSync(path, "utf8").includes('from "@rubrica/helpers/serve"'));
  const old = entries.filter((path) => !isFresh(path));
  mkdirSync(BUNDLES, { recursive: true, mode: 0o755 });
  for (const entry of old) {
    await bundle(entry);
    console.log(`bundled ${relative(ROOT, entry)}`);
  }
  await stop();
};

if (import.meta.main) await bundleHelpers();
