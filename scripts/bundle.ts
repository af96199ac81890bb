// Makes bundles of what runs as a process or a thread (apps, helpers, workers), with the libraries that it loads: some
// 2,000 files less to find and to read, and no types to strip, at each start. What several of them load stands in files
// that they share. `npm ci` runs this, tests and bench begin with it. Where a bundle is missing or old, the module is run
// as it is.
import { globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { systemClock } from "@rubrica/runtime";
import {
  BUNDLES,
  type BundleRecord,
  bundleName,
  bundleOf,
  INSTALLED,
  isFresh,
  ROOT,
  sourceOf,
} from "@rubrica/runtime/bundle";
import { build, type Metafile, type OutputFile, type Plugin, stop } from "esbuild";
import { lighter, STAND_IN } from "./lighter.ts";

/** A process that runs for longer than this with files that no bundle needs any more has loaded what it needs. */
const UNUSED_KEPT_MS = 86_400_000;

/** Code that finds files beside itself goes on finding them, wherever the repository is moved. */
const keepsAddresses: Plugin = {
  name: "keeps-addresses",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.(ts|js|mjs|cjs)$/ }, ({ path }) => {
      const code = readFileSync(path, "utf8");
      const address = JSON.stringify(relative(BUNDLES, path));
      const loader = path.endsWith(".ts") ? "ts" : "js";
      if (/\bimport\.meta\.(url|dirname)\b/.test(code)) {
        const contents = code
          .replaceAll("import.meta.url", `addressFrom(${address})`)
          .replaceAll("import.meta.dirname", `folderFrom(${address})`);
        return { contents, loader };
      }
      // CommonJS; a module of our own has neither word.
      if (/\b__(dirname|filename)\b/.test(code))
        return {
          contents: `var __dirname = folderFrom(${address}), __filename = fileFrom(${address}); ${code}`,
          loader,
        };
      return undefined;
    });
  },
};

/**
 * Stands at the start of each file. Libraries of CommonJS ask for Node's own modules by `require`. It takes nothing from
 * the global object: a library may have a `URL` of its own.
 */
const BANNER = `
import { createRequire as requireFrom } from "node:module";
import { dirname as folderOfPath, resolve as pathFrom } from "node:path";
import { fileURLToPath as pathOfAddress, pathToFileURL as addressOfPath } from "node:url";
const require = requireFrom(import.meta.url);
const fileFrom = (path) => pathFrom(folderOfPath(pathOfAddress(import.meta.url)), path);
const folderFrom = (path) => folderOfPath(fileFrom(path));
const addressFrom = (path) => addressOfPath(fileFrom(path)).href;
`;

/** Written beside it first, so that no process sees half of it. Another user's helpers read it. */
const replace = (path: string, content: string | Uint8Array): void => {
  const written = `${path}.${process.pid}`;
  writeFileSync(written, content, { mode: 0o644 });
  renameSync(written, path);
};

/**
 * The same code in letters of ASCII: the runtime keeps each file's text for as long as the process runs, in two bytes a
 * letter where one alone is not of ASCII. The bundler escapes what stands in strings; the rest is in regular expressions.
 */
const inAscii = ({ text, path }: OutputFile): { path: string; contents: string } => ({
  path,
  contents: text.replaceAll(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`),
});

/** Modules that run as a process or a thread of their own. */
const entries = (): string[] => [
  ...globSync("apps/*/src/main.ts", { cwd: ROOT }),
  ...globSync("packages/*/src/**/*-worker.ts", { cwd: ROOT }),
  ...globSync("packages/*/src/**/helper.ts", { cwd: ROOT }).filter((path) =>
    readFileSync(join(ROOT, path), "utf8").includes('from "@rubrica/helpers/serve"'),
  ),
];

const built = (): Promise<{ outputFiles: OutputFile[]; metafile: Metafile }> =>
  build({
    entryPoints: entries().map((path) => ({ in: path, out: bundleName(join(ROOT, path)) })),
    absWorkingDir: ROOT,
    outdir: BUNDLES,
    outExtension: { ".js": ".mjs" },
    write: false,
    bundle: true,
    splitting: true,
    metafile: true,
    platform: "node",
    format: "esm",
    target: "node24",
    // Less text to keep. Names stay, for stacks that people read; licenses lie beside the libraries.
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: "none",
    // Machine code; programs that look for files beside their own; what a library takes where it is installed.
    external: [
      ...["sharp", "harfbuzzjs", "node-forge", "esbuild", "pino-pretty"],
      ...["mongodb-client-encryption", "@mongodb-js/zstd", "@aws-sdk/credential-providers", "gcp-metadata"],
      ...["kerberos", "snappy", "socks", "aws4"],
    ],
    banner: { js: BANNER },
    plugins: [lighter, keepsAddresses],
    logLevel: "error",
  });

/** What makes bundles: where it changes, they are made anew. */
const MAKERS = ["scripts/bundle.ts", "scripts/lighter.ts"];

/** The record of the bundle that stands in a file: of it and of all files that it may load. */
const recordOf = (output: string, { outputs }: Metafile): BundleRecord => {
  const files = new Set([output]);
  for (const file of files)
    for (const { path, external } of outputs[file]?.imports ?? []) if (external !== true) files.add(path);
  const sources = new Set([...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {})));
  const own = [...sources].filter((path) => !path.startsWith("node_modules/") && !path.startsWith(`${STAND_IN}:`));
  return { files: [...files].map((file) => basename(file)), sources: [...own, ...MAKERS, INSTALLED].map(sourceOf) };
};

/** Takes away what no bundle needs, once no process is about to load it. */
const sweep = (): void => {
  const records = readdirSync(BUNDLES).filter((name) => name.endsWith(".json"));
  const needed = new Set(
    records.flatMap((name): string[] => JSON.parse(readFileSync(join(BUNDLES, name), "utf8")).files ?? []),
  );
  for (const name of readdirSync(BUNDLES)) {
    const path = join(BUNDLES, name);
    if (needed.has(name) || name.endsWith(".json")) continue;
    if (systemClock.now() - statSync(path).mtimeMs > UNUSED_KEPT_MS) rmSync(path, { force: true });
  }
};

/** Makes what is missing or old. */
export const makeBundles = async (): Promise<void> => {
  if (entries().every((path) => isFresh(join(ROOT, path)))) return;
  const { outputFiles, metafile } = await built();
  mkdirSync(BUNDLES, { recursive: true, mode: 0o755 });
  const outputs = Object.entries(metafile.outputs);
  const records = entries().map((entry) => {
    const [file = ""] = outputs.find(([, { entryPoint }]) => entryPoint === entry) ?? [];
    return { path: bundleOf(join(ROOT, entry)).record, record: recordOf(file, metafile) };
  });
  // In this order: what is half done is not fresh.
  for (const { path } of records) replace(path, "{}");
  for (const { path, contents } of outputFiles.map(inAscii)) replace(path, contents);
  for (const { path, record } of records) replace(path, JSON.stringify(record));
  sweep();
  console.log(`bundled ${records.length} programs`);
  await stop();
};

if (import.meta.main) await makeBundles();
