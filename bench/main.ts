// `npm run bench`: a table of ratios, each against a baseline measured in the same run. `-- http replay` measures only the
// parts whose names hold one of these words, `-- --quick` the main speeds alone and shorter (with words, those parts
// shorter), and `-- --guard` judges by `limits.json` what may not get slower. Each part's rows are printed, and written to
// `bench/results/`, when it is done. A part that fails, or finds that a promise of the docs is not held, is told; the others
// go on, and the exit code is 1.
import { makeBundles } from "../scripts/bundle.ts";
import { benchAppend } from "./append.ts";
import { benchBacklog } from "./backlog.ts";
import { benchBulk, benchBulkMemory } from "./bulk.ts";
import { benchEngines } from "./engines.ts";
import { benchFairness } from "./fairness.ts";
import { guard } from "./guard.ts";
import { benchHelpers } from "./helpers.ts";
import { benchHttp } from "./http.ts";
import { benchLives } from "./lives.ts";
import { benchNeighbours } from "./neighbours.ts";
import { runParts } from "./parts.ts";
import { benchProcesses } from "./processes.ts";
import { benchLag, benchReplay } from "./replay.ts";
import { benchReport } from "./report.ts";
import { benchRest } from "./rest.ts";
import { ResultsFile } from "./results.ts";
import { benchSeal } from "./seal.ts";
import { benchStart } from "./start.ts";
import { benchVerify } from "./verify.ts";
import { benchWebhookLatency, benchWebhookRate } from "./webhooks.ts";

await makeBundles();

if (process.argv.includes("--guard")) {
  const beyond = await guard();
  if (beyond.length > 0) console.error(`\nBeyond their limits (bench/limits.json): ${beyond.join(", ")}`);
  process.exit(beyond.length > 0 ? 1 : 0);
}

const extent = { quick: process.argv.includes("--quick") };
const words = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));

const all = [
  benchAppend,
  benchHttp,
  benchFairness,
  benchLives,
  benchReplay,
  benchLag,
  benchBulk,
  benchBulkMemory,
  benchBacklog,
  benchWebhookRate,
  benchWebhookLatency,
  benchSeal,
  benchVerify,
  benchReport,
  benchHelpers,
  benchRest,
  benchNeighbours,
  benchEngines,
  benchProcesses,
  benchStart,
];

/** In four minutes on two processors with nothing else to do. */
const mainOnes = [
  benchAppend,
  benchHttp,
  benchLives,
  benchReplay,
  benchSeal,
  benchReport,
  benchWebhookLatency,
  benchRest,
  benchStart,
];

const isNamed = ({ name }: { name: string }): boolean =>
  words.some((word) => name.toLowerCase().includes(word.toLowerCase()));

const wanted = words.length > 0 ? all.filter(isNamed) : extent.quick ? mainOnes : all;
if (wanted.length === 0) {
  console.error(`None of the benches is named so: ${all.map(({ name }) => name.slice("bench".length)).join(", ")}`);
  process.exit(1);
}

const results = new ResultsFile(words.length > 0 ? "parts" : extent.quick ? "quick" : "full");
await runParts(wanted, extent, results);

console.log(results.table());
if (results.failed.length > 0) {
  console.error(`\nFailed: ${results.failed.join(", ")}`);
  // What is left of a part that failed may keep the process.
  process.exit(1);
}
