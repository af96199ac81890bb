import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the code is that processes run, their libraries and fonts. */
export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** Below a folder that helpers may read, and that whoever installs the service writes. */
export const BUNDLES = join(ROOT, "node_modules", ".cache", "rubrica-bundles");
/** Stands for all libraries: npm writes it whenever it changes one. */
export const INSTALLED = "node_modules/.package-lock.json";

/** What a bundle was made of, and what was made. */
export interface BundleRecord {
  /** Names in `BUNDLES`: the bundle itself and what it shares with others. */
  files: string[];
  /** Each file's path below the repository, its bytes and its time of change, in ms. */
  sources: [path: string, bytes: number, changedMs: number][];
}

/** The name of a module's bundle in `BUNDLES`, without what it ends in. */
export const bundleName = (entry: string): string =>
  createHash("sha256").update(relative(ROOT, entry)).digest("hex").slice(0, 16);

/** Where a module's bundle is, and its record (`BundleRecord`). */
export const bundleOf = (entry: string): { bundle: string; record: string } => {
  const name = bundleName(entry);
  return { bundle: join(BUNDLES, `${name}.mjs`), record: join(BUNDLES, `${name}.json`) };
};

/** @param path below the repository */
export const sourceOf = (path: string): BundleRecord["sources"][number] => {
  const { size, mtimeMs } = statSync(join(ROOT, path));
  return [path, size, mtimeMs];
};

/** What to run, by entry: looked up once, so that all helpers of a process run the same code. */
const runnable = new Map<string, string>();

/**
 * The file that runs a module as a process or thread: its bundle, which starts in half the time, or the module itself
 * where there is none, or one that is older than what it was made of (see `scripts/bundle.ts`).
 */
export const runnableOf = (entry: URL): string => {
  const path = fileURLToPath(entry);
  const known = runnable.get(path);
  if (known !== undefined) return known;
  const { bundle } = bundleOf(path);
  const found = isFresh(path) ? bundle : path;
  runnable.set(path, found);
  return found;
};

/** Whether a module's bundle was made of the files as they are now. */
export const isFresh = (entry: string): boolean => {
  try {
    const made: BundleRecord = JSON.parse(readFileSync(bundleOf(entry).record, "utf8"));
    for (const file of made.files) statSync(join(BUNDLES, file));
    return made.sources.every(([path, bytes, changedMs]) => {
      const { size, mtimeMs } = statSync(join(ROOT, path));
      return size === bytes && mtimeMs === changedMs;
    });
  } catch {
    return false;
  }
};
