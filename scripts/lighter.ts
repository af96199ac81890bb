// What bundles have in the place of parts of libraries, so that processes start sooner and hold less.
import { join } from "node:path";
import type { Plugin } from "esbuild";

/** What a stand-in's path begins with, before a colon. */
export const STAND_IN = "stand-in";
const ROOT = join(import.meta.dirname, "..");

/** Fails where it is called: the library that wants it does so for something that Rubrica never asks of it. */
const unused = (name: string, exported: string): string =>
  `const unused = () => { throw new Error("${name} is not in the bundle"); };\n${exported}`;

/**
 * Modules by their names, with what stands for them: CommonJS that exports what is imported of them. The PDF library
 * wants three of them for SVG, forms by Adobe and metadata of invoices, the font library one for fonts made for the web
 * (a dictionary of 1.3 MB). The fourth is for what both do whenever they are loaded: they unpack tables, for which the
 * runtime's own zlib takes a hundredth of the time. What they pack goes on to be packed by the library, which gives the
 * same bytes wherever it runs.
 */
const STAND_INS: Readonly<Record<string, string>> = {
  culori: unused("culori", "exports.converter = () => unused;"),
  "html-entities": unused("html-entities", "exports.encode = unused;"),
  "node-html-better-parser": unused("node-html-better-parser", "exports.parse = unused;\nexports.NodeType = {};"),
  "brotli/decompress.js": unused("brotli", "module.exports = unused;"),
  fflate: `
const zlib = require("node:zlib");
const into = (found, { out } = {}) => {
  if (out === undefined) return new Uint8Array(found);
  out.set(found);
  return out.subarray(0, found.length);
};
module.exports = {
  ...require("fflate"),
  inflateSync: (bytes, options) => into(zlib.inflateRawSync(bytes), options),
  unzlibSync: (bytes, options) => into(zlib.inflateSync(bytes), options),
};`,
};

/** Puts them there where one of the two libraries asks. */
export const lighter: Plugin = {
  name: "lighter",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(culori|html-entities|node-html-better-parser|brotli\/decompress\.js|fflate)$/ }, (asked) =>
      /[\\/]node_modules[\\/](pdf-lib|@cantoo[\\/]fontkit)[\\/]/.test(asked.importer)
        ? { path: asked.path, namespace: STAND_IN }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: STAND_IN }, ({ path }) => {
      const contents = STAND_INS[path];
      return contents === undefined ? undefined : { contents, loader: "js", resolveDir: ROOT };
    });
  },
};
