// Which files of tests measure something, so that they might be red by luck: `npm run test:again` runs these most often.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { root } from "./testing.ts";

/** What a file of tests, or one of those beside it that it imports, calls to weigh time, processor or memory. */
const MEASURES =
  /threadWorkWhile|leastThreadSeconds|threadCpuUsage|cpuUsage|memoryUsage|treeBytes|residentBytes|expectBoundedGrowth|joinArena/;

/** Files that call nothing of it, and are judged by a limit of time or processor that the product has, or by calls a second. */
export const BY_LIMITS = [
  "packages/event-store/test/eventstoredb/deadlines.spec.ts",
  "packages/event-store/test/eventstoredb/system/cluster.spec.ts",
  "packages/helpers/test/other-user.spec.ts",
  "packages/message-bus/test/embedded.spec.ts",
  "packages/message-bus/test/jetstream/bus.spec.ts",
  "packages/pdf-drawing/test/placing/as-signed.spec.ts",
  "packages/pdf-drawing/test/placing/free-space.spec.ts",
  "packages/pdf/test/engine/engine.spec.ts",
  "packages/report/test/render/limits.spec.ts",
  "test/system/faults/database-killed.spec.ts",
  "test/system/processes/calls.spec.ts",
];

const specs = globSync(["{packages,apps}/*/test/**/*.spec.ts", "test/**/*.spec.ts"], {
  cwd: root,
  exclude: (name) => name.includes("node_modules"),
});

/** Imports begin their line: programs that a test holds as text are set in. */
const IMPORTED = /^(?:import|export|\}).* from "(\.[^"]+\.ts)"/gm;
const isOfTests = (path: string): boolean => /\/test\//.test(path);
const seen = new Map<string, boolean>();

/** Whether a file measures, or one that it imports from a folder of tests. */
const measures = (path: string): boolean => {
  const known = seen.get(path);
  if (known !== undefined) return known;
  // Where imports come round, what is asked for again is told by the others.
  seen.set(path, false);
  const text = readFileSync(path, "utf8");
  const imported = [...text.matchAll(IMPORTED)].map(([, from = ""]) => resolve(dirname(path), from));
  const found = MEASURES.test(text) || imported.filter(isOfTests).some(measures);
  seen.set(path, found);
  return found;
};

/** The files that measure something, by their paths in the repository. */
export const measuring = specs.filter((spec) => BY_LIMITS.includes(spec) || measures(join(root, spec))).sort();
