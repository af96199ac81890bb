import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** A spec under a folder of that name runs in `npm run test:all` alone; every other one runs in both commands. */
const SYSTEM = "**/test/**/system/**";
const PROCESSES = [
  "test/system/processes/**/*.spec.ts",
  "test/system/migrate.spec.ts",
  "test/system/deployment/apps.spec.ts",
];
const ATTACKS = "test/system/attacks/**/*.spec.ts";
const FAULTS = "test/system/faults/**/*.spec.ts";
/** What has to be done within seconds. */
const ALONE = "test/system/faults/database-killed.spec.ts";
/** Calls whose number depends on how fast events come: beside it runs only what leaves it the processors. */
const COUNTED = "test/system/processes/calls.spec.ts";
/** They weigh the process that they run in, or count what is made in it. */
export const MEASURING = [
  "packages/event-store/test/eventstoredb/deadlines.spec.ts",
  "packages/helpers/test/pool.spec.ts",
  "packages/http/test/bodies.spec.ts",
  "packages/docx/test/contents/read-docx.spec.ts",
  "packages/pdf-admission/test/content/dashed-boxes.spec.ts",
  "apps/command-api/test/bulk/route.spec.ts",
];
/** Of the files that want MongoDB. Those that run whole apps have engines of their own. */
const SHARED_ENGINES = "test/support/shared-engines.ts";
/** The first to be set up is the last to be torn down. */
const WARNINGS_LEFT = "test/support/warnings-left.ts";
const OF_PACKAGES = ["packages/*/test/**/*.spec.ts", "apps/*/test/**/*.spec.ts"];

/** They tell what hangs from what is slow, for every test: on a machine that others use, some take ten times as long. */
const shared = {
  globalSetup: [WARNINGS_LEFT],
  setupFiles: ["test/support/each-file.ts"],
  // A thread of a test's process tells what it is warned of in print alone: with where it came from.
  execArgv: ["--trace-warnings"],
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 300_000 } },
  restoreMocks: true,
  unstubGlobals: true,
};

/** Their files come in another order each time, by a seed that is printed: `--sequence.seed` repeats it. */
const SHUFFLED: readonly string[] = ["quick", "measuring", "attacks"];

/** The other files come first, as they are what takes longest: nobody waits for one of them at the end. */
class ShuffledLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence;
    const drawn = ({ moduleId }: TestSpecification): string =>
      createHash("sha256")
        .update(`${seed} ${moduleId.slice(this.ctx.config.root.length)}`)
        .digest("hex");
    const isShuffled = ({ project }: TestSpecification): boolean => SHUFFLED.includes(project.name);
    const shuffled = files.filter(isShuffled).toSorted((a, b) => (drawn(a) < drawn(b) ? -1 : 1));
    return [...(await super.sort(files.filter((file) => !isShuffled(file)))), ...shuffled];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: ShuffledLast },
    // Two more than there are processors: most files wait half of their time for processes and engines that they start.
    maxWorkers: availableParallelism() + 2,
    projects: [
      {
        test: {
          name: "quick",
          // Files follow each other in one process: to load the same modules anew for each takes as long as half of the tests.
          isolate: false,
          include: [...OF_PACKAGES, "test/quick/**/*.spec.ts"],
          exclude: [SYSTEM, ...MEASURING, "**/node_modules/**"],
          sequence: { shuffle: { tests: true } },
          ...shared,
          globalSetup: [WARNINGS_LEFT, SHARED_ENGINES],
        },
      },
      {
        // They run with the quick ones, each in a process of its own.
        test: { name: "measuring", include: MEASURING, sequence: { shuffle: { tests: true } }, ...shared },
      },
      {
        test: {
          name: "system",
          include: ["test/system/**/*.spec.ts", "{packages,apps}/*/test/**/system/**/*.spec.ts"],
          exclude: [ATTACKS, FAULTS, ...PROCESSES],
          ...shared,
          globalSetup: [WARNINGS_LEFT, SHARED_ENGINES],
        },
      },
      {
        // One after the other, on one service, whose memory and processor time they weigh.
        test: {
          name: "attacks",
          include: [ATTACKS],
          fileParallelism: false,
          sequence: { groupOrder: 1, shuffle: true },
          ...shared,
          globalSetup: [WARNINGS_LEFT, "test/system/attacks/support/setup.ts"],
        },
      },
      // All apps in processes of their own, with their engines: two at a time, some thirty processes.
      {
        test: {
          name: "faults",
          include: [FAULTS],
          exclude: [ALONE],
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
          ...shared,
        },
      },
      {
        test: {
          name: "processes",
          include: PROCESSES,
          exclude: [COUNTED],
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
          ...shared,
        },
      },
      { test: { name: "counted", include: [COUNTED], maxWorkers: 1, sequence: { groupOrder: 3 }, ...shared } },
      { test: { name: "alone", include: [ALONE], maxWorkers: 1, sequence: { groupOrder: 4 }, ...shared } },
    ],
  },
});
