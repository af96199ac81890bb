import { existsSync } from "node:fs";
import { join } from "node:path";
import { repository } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { BY_LIMITS, measuring } from "../../scripts/measuring.ts";
import { MEASURING } from "../../vitest.config.ts";

test("what measures itself, by what it imports, or by limits of the product is run again, and nothing else is", () => {
  expect(measuring).toContain("packages/pdf-admission/test/sharing.spec.ts");
  expect(measuring).toContain("test/system/attacks/json.spec.ts");
  expect(measuring).toEqual(expect.arrayContaining([...BY_LIMITS, ...MEASURING]));
  expect(measuring).not.toContain("test/quick/bench-results.spec.ts");
});

test("each file that is named as judged by limits is there", () => {
  expect(BY_LIMITS.filter((spec) => !existsSync(join(repository, spec)))).toEqual([]);
});
