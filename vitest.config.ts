import { defineConfig } from "vitest/config";

const PROCESSES = [
  "apps/standalone/test/processes/**/*.spec.ts",
  "apps/standalone/test/migrate.spec.ts",
  "test/deployment/apps.spec.ts",
];
const ATTACKS = "apps/standalone/test/attacks/**/*.spec.ts";
const FAULTS = "test/faults/**/*.spec.ts";

/** They tell what hangs from what is slow: on a machine that others use as well, minutes of these went to them. */
const shared = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 60_000 } } };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "tests",
          include: ["packages/*/test/**/*.spec.ts", "apps/*/test/**/*.spec.ts", "test/**/*.spec.ts"],
          exclude: [ATTACKS, FAULTS, ...PROCESSES],
          // Vitest's own default leaves one out: on two processors, half of the time went by.
          maxWorkers: "100%",
          ...shared,
        },
      },
      {
        // One after the other, when nothing else runs: what they measure is who is held up.
        test: {
          name: "attacks",
          include: [ATTACKS],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          ...shared,
        },
      },
      // All apps in processes of their own, with their engines: two at a time, which wait for engines as much as they
      // work, and nothing else has room beside them.
      { test: { name: "faults", include: [FAULTS], maxWorkers: 2, sequence: { groupOrder: 2 }, ...shared } },
      { test: { name: "processes", include: PROCESSES, maxWorkers: 2, sequence: { groupOrder: 2 }, ...shared } },
    ],
  },
});
