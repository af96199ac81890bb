import { defineConfig } from "vitest/config";

const ATTACKS = "apps/standalone/test/attacks/**/*.spec.ts";

const shared = { testTimeout: 30_000, hookTimeout: 30_000 };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "tests",
          include: ["packages/*/test/**/*.spec.ts", "apps/*/test/**/*.spec.ts", "test/**/*.spec.ts"],
          exclude: [ATTACKS],
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
    ],
  },
});
