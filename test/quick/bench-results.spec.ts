import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { ResultsFile } from "../../bench/results.ts";

const row = { what: "appending", measured: "2/s", baseline: "4/s", result: "0.50", aim: "≥ 0.6", note: "the disk" };

test("what was measured is kept, and a part that failed or a promise that was not held is a failure", () => {
  using folder = temporaryFolder();
  const results = new ResultsFile("full", folder.path);
  const held = [row, { ...row, what: "near", isHeld: true }];
  results.add(held);
  expect(results.failed).toEqual([]);
  const broken = { ...row, what: "neighbours", isHeld: false };
  results.add([broken]);
  results.fail("benchSeal");
  expect(results.failed).toEqual(["neighbours", "benchSeal"]);
  const kept = JSON.parse(readFileSync(join(folder.path, "full.json"), "utf8"));
  expect(kept).toMatchObject({ extent: "full", rows: [...held, broken], failed: results.failed });
});
