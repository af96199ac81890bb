import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { BUNDLES, type BundleRecord, bundleOf, isFresh, ROOT, runnableOf, sourceOf } from "../src/bundle.ts";

/** A helper's module of its own, and how to make a bundle of it as it is now. */
const moduleWithBundle = () => {
  const folder = mkdtempSync(join(tmpdir(), "rubrica-bundle-"));
  const entry = join(folder, "helper.ts");
  writeFileSync(entry, "export const version = 1;");
  const paths = bundleOf(entry);
  onTestFinished(() => {
    for (const path of [folder, paths.bundle, paths.record]) rmSync(path, { recursive: true, force: true });
  });
  const make = () => {
    mkdirSync(BUNDLES, { recursive: true });
    writeFileSync(paths.bundle, "");
    writeFileSync(
      paths.record,
      JSON.stringify({ files: [basename(paths.bundle)], sources: [sourceOf(relative(ROOT, entry))] }),
    );
  };
  return { entry, bundle: paths.bundle, make };
};

test("a bundle of the files as they are now is what runs", () => {
  const { entry, bundle, make } = moduleWithBundle();
  make();
  expect(runnableOf(pathToFileURL(entry))).toBe(bundle);
});

test("without a bundle the module runs, and goes on with it while this process is there", () => {
  const { entry, make } = moduleWithBundle();
  expect(runnableOf(pathToFileURL(entry))).toBe(entry);
  make();
  expect(runnableOf(pathToFileURL(entry))).toBe(entry);
});

test.each([
  ["has other bytes", (entry: string) => writeFileSync(entry, "export const version = 22;")],
  ["was written anew", (entry: string) => utimesSync(entry, 1, 1)],
  ["is gone", (entry: string) => rmSync(entry)],
])("a bundle is old as soon as a file that it was made of %s", (_, change) => {
  const { entry, make } = moduleWithBundle();
  make();
  expect(isFresh(entry)).toBe(true);
  change(entry);
  expect(isFresh(entry)).toBe(false);
});

/** The files of all bundles that were made. */
const bundleFiles = (): string[] => {
  const records = globSync("*.json", { cwd: BUNDLES }).map(
    (name): Partial<BundleRecord> => JSON.parse(readFileSync(join(BUNDLES, name), "utf8")),
  );
  return [...new Set(records.flatMap(({ files = [] }) => files))];
};

test("what bundles were made holds letters of ASCII alone: with another one the runtime keeps two bytes a letter", () => {
  const others = bundleFiles().filter((name) => readFileSync(join(BUNDLES, name)).some((byte) => byte > 0x7f));
  expect(others).toEqual([]);
});

test("bundles hold none of what libraries bring for SVG and for fonts of the web: each start would pay for it", () => {
  // Words of culori and of brotli, which stay when a bundle is made small.
  const words = ["lightgoldenrodyellow", "[ReadHuffmanCode]"];
  const texts = bundleFiles().map((name) => readFileSync(join(BUNDLES, name), "latin1"));
  expect(words.filter((word) => texts.some((text) => text.includes(word)))).toEqual([]);
});

test("a bundle is old as soon as one of its files is gone", () => {
  const { entry, bundle, make } = moduleWithBundle();
  make();
  rmSync(bundle);
  expect(isFresh(entry)).toBe(false);
});
