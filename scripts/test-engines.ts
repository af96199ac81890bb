// The engines over the wire by their contract suites, and the apps as processes on them, end to end and through faults.
// EVENTSTORE_URL, MONGODB_URL and NATS_URL name true engines, which are to be empty; those that they don't name are started
// here. docs/operations.md says how to have faults befall the true ones.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemRandom } from "@rubrica/runtime";
import { notedFaults, sayEngines, sayFaults, sayNotAsked, whyInUse } from "@rubrica/test-kit/deployment";
import { list } from "./testing.ts";

const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules", ".bin", "vitest");
const PROJECTS = ["quick", "system", "processes", "faults", "counted", "alone"];
const FILTERS = ["eventstoredb", "mongodb", "gridfs", "jetstream", "test/system/processes/", "test/system/faults/"];

const inUse = await whyInUse(process.env).catch((error: unknown) =>
  error instanceof Error ? error.message : "The engines can't be looked at.",
);
if (inUse) {
  console.error(inUse);
  process.exit(1);
}
const given = process.argv.slice(2);
const { EVENTSTORE_URL, MONGODB_URL, NATS_URL } = process.env;
const isAnyGiven = [EVENTSTORE_URL, MONGODB_URL, NATS_URL].some((url) => url !== undefined);
const args = [
  "run",
  ...PROJECTS.flatMap((project) => ["--project", project]),
  // One file would stop the engine that another one works on.
  ...(isAnyGiven ? ["--no-file-parallelism"] : []),
  ...(given.length > 0 ? given : FILTERS),
];
/** What one file stores on engines that outlive it, the next one reads: its events, by its keys. */
const shared =
  EVENTSTORE_URL !== undefined && MONGODB_URL !== undefined
    ? {
        RUBRICA_TEST_DATABASE: `rubrica-test-${systemRandom.bytes(6).toString("hex")}`,
        RUBRICA_TEST_SECRET: systemRandom.bytes(32).toString("base64url"),
      }
    : {};
const folder = mkdtempSync(join(tmpdir(), "rubrica-test-"));
const faultsPath = join(folder, "faults");
const env = { ...process.env, ...shared, RUBRICA_TEST_FAULTS: faultsPath };
const { status } = spawnSync(vitest, args, { stdio: "inherit", cwd: root, env });
const happened = notedFaults(faultsPath);
rmSync(folder, { recursive: true });
list("Calls to engines, by what answered them", sayEngines());
list("Asked of true engines alone, and not run", sayNotAsked());
list("Faults beneath the apps, by what they befell", sayFaults(happened));
process.exit(status ?? 1);
