import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { noteWarningsIn, repository, temporaryFolder } from "@rubrica/test-kit";
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

/** Whether parts go on after each other can't be seen in the process that runs tests: it has failures of its own to hear of. */
const PARTS = `
  import { runParts } from "./bench/parts.ts";
  import { ResultsFile } from "./bench/results.ts";
  const results = new ResultsFile("full", process.argv[1]);
  const beside = async () => { throw new Error("beside"); };
  await runParts([
    async function refused() { throw new Error("refused"); },
    async function hanging() { void beside(); await new Promise(() => {}); },
    async function strayed() { void beside(); return ${JSON.stringify(row)}; },
    async function unmeasured() { return []; },
    async function held() { return ${JSON.stringify(row)}; },
  ], { quick: true }, results, 50);
`;

test("a part that fails, waits for what never comes, or has something fail beside it is told, and the others go on", () => {
  using folder = temporaryFolder();
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", PARTS, folder.path], {
    cwd: repository,
    encoding: "utf8",
  });
  noteWarningsIn("parts of the bench", stderr);
  expect({ status, stderr }).toMatchObject({
    status: 0,
    stderr: expect.stringContaining("refused failed: Error: refused"),
  });
  const { rows, failed } = JSON.parse(readFileSync(join(folder.path, "full.json"), "utf8"));
  expect(failed).toEqual(["refused", "hanging", "strayed", "unmeasured"]);
  expect(rows).toEqual([row]);
});
