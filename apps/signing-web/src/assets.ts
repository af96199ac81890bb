import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build, stop } from "esbuild";
import { shellHtml } from "./shell.ts";

export type Encoding = "br" | "gzip" | "identity";

/** A file under `/assets/`, read and compressed when it is first asked for, then kept. */
export interface Asset {
  mediaType: string;
  compressible: boolean;
  load: () => Promise<Buffer>;
  contents: Map<Encoding, Promise<Buffer>>;
}

export interface PageAssets {
  /** The HTML of every signer's page. */
  shell: Buffer;
  /** By path below `/assets/`. */
  assets: Map<string, Asset>;
}

const mediaTypes: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".ttf": "font/ttf",
};
const compressibleTypes = new Set([".css", ".js", ".mjs", ".svg", ".wasm", ".ttf"]);

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

const pageFolder = join(dirname(fileURLToPath(import.meta.url)), "page");
const pdfjsFolder = dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));

/** Builds the page's own files and lists those of pdf.js. Throws esbuild's error when the source does not build. */
export const pageAssets = async (): Promise<PageAssets> => {
  const pdfjs = pdfjsAssets();
  const icon = readFileSync(join(pageFolder, "icon.svg"));
  const bundle = await bundlePage(pdfjs.folder);
  const files = {
    script: { path: hashedPath("page", ".js", bundle.script), content: bundle.script },
    style: { path: hashedPath("page", ".css", bundle.style), content: bundle.style },
    icon: { path: hashedPath("icon", ".svg", icon), content: icon },
  };
  const assets = new Map(pdfjs.assets);
  for (const { path, content } of Object.values(files))
    assets.set(
      path,
      asset(path, async () => content),
    );
  const shell = shellHtml({ script: files.script.path, style: files.style.path, icon: files.icon.path });
  return { shell: Buffer.from(shell), assets };
};

/** The asset's bytes in a content coding. */
export const contentIn = (asset: Asset, encoding: Encoding): Promise<Buffer> => {
  const known = asset.contents.get(encoding);
  if (known !== undefined) return known;
  const content = asset.load().then((bytes) => encode(bytes, encoding));
  asset.contents.set(encoding, content);
  // A read that failed is tried again by the next request.
  content.catch(() => asset.contents.delete(encoding));
  return content;
};

const encode = async (bytes: Buffer, encoding: Encoding): Promise<Buffer> => {
  if (encoding === "gzip") return compressGzip(bytes, { level: 9 });
  // Quality 9 takes 0.1 s for the largest file; 11 takes 2 s and saves another tenth.
  if (encoding === "br") return compressBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
  return bytes;
};

const asset = (path: string, load: () => Promise<Buffer>): Asset => ({
  mediaType: mediaTypes[extname(path)] ?? "application/octet-stream",
  compressible: compressibleTypes.has(extname(path)),
  load,
  contents: new Map(),
});

const hashedPath = (name: string, extension: string, content: Buffer): string =>
  `${name}-${createHash("sha256").update(content).digest("hex").slice(0, 16)}${extension}`;

/** Our own script and style, minified for the browsers that pdf.js' legacy build supports. */
const bundlePage = async (pdfjsFolder: string): Promise<{ script: Buffer; style: Buffer }> => {
  const { outputFiles } = await build({
    entryPoints: [join(pageFolder, "main.ts"), join(pageFolder, "page.css")],
    outdir: pageFolder,
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    target: ["chrome110", "firefox115", "safari16.4"],
    define: { PDFJS_FOLDER: JSON.stringify(pdfjsFolder) },
    logLevel: "silent",
  });
  // esbuild's own process would otherwise stay for as long as the service runs.
  await stop();
  const output = (extension: string): Buffer => {
    const file = outputFiles.find(({ path }) => path.endsWith(extension));
    if (file === undefined) throw new Error(`the signing page's ${extension} was not built`);
    return Buffer.from(file.contents);
  };
  return { script: output(".js"), style: output(".css") };
};

/**
 * pdf.js as its package brings it, minified already: the legacy build, since the other needs browsers of the last
 * months; and what real PDFs need beside it: character maps (CJK), the 14 standard fonts, image decoders, colour
 * profiles. The folder's name carries the version, so that an upgrade changes every address.
 */
const pdfjsAssets = (): { folder: string; assets: Map<string, Asset> } => {
  const manifest: { version: string } = JSON.parse(readFileSync(join(pdfjsFolder, "package.json"), "utf8"));
  const folder = `pdfjs-${manifest.version}`;
  const paths = ["legacy/build/pdf.min.mjs", "legacy/build/pdf.worker.min.mjs"];
  for (const data of ["cmaps", "iccs", "standard_fonts", "wasm"])
    for (const name of readdirSync(join(pdfjsFolder, data))) paths.push(`${data}/${name}`);
  const assets = paths.map((path): [string, Asset] => [
    `${folder}/${path}`,
    asset(path, () => readFile(join(pdfjsFolder, path))),
  ]);
  return { folder, assets: new Map(assets) };
};
