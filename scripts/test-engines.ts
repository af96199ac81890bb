// The engines over the wire by their contract suites, and the apps as processes on them, end to end. EVENTSTORE_URL,
// MONGODB_URL and NATS_URL name true engines, which are to be empty; those that they don't name are started here.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { sayEngines } from "@rubrica/test-kit/deployment";

const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules", ".bin", "vitest");
const filters = ["eventstoredb", "mongodb", "gridfs", "jetstream", "test/system/processes/"];
const given = process.argv.slice(2);
const args = [
  "run",
  "--project",
  "quick",
  "--project",
  "system",
  "--project",
  "processes",
  ...(given.length > 0 ? given : filters),
];
const { status } = spawnSync(vitest, args, { stdio: "inherit", cwd: root });
for (const line of sayEngines()) console.log(line);
process.exit(status ?? 1);
