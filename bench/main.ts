// `npm run bench`: a table of ratios, each against a baseline measured in the same run. `-- --quick` does less, and
// `-- http replay` only the parts whose names hold one of these words.
import { benchAppend } from "./append.ts";
import { benchBacklog } from "./backlog.ts";
import { benchBulk, benchBulkMemory } from "./bulk.ts";
import { benchEngines } from "./engines.ts";
import { benchHelpers } from "./helpers.ts";
import { benchHttp, benchStart } from "./http.ts";
import type { Row } from "./measure.ts";
import { benchNeighbours } from "./neighbours.ts";
import { benchLag, benchReplay } from "./replay.ts";
import { benchReport } from "./report.ts";
import { benchSeal } from "./seal.ts";
import { benchVerify } from "./verify.ts";
import { benchWebhookLatency, benchWebhookRate } from "./webhooks.ts";

const extent = { quick: process.argv.includes("--quick") };
const words = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const isWanted = ({ name }: { name: string }): boolean =>
  words.length === 0 || words.some((word) => name.toLowerCase().includes(word.toLowerCase()));
const columns = ["what", "measured", "baseline", "result", "aim"] as const;

const benches = [
  benchAppend,
  benchHttp,
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
  benchNeighbours,
  benchEngines,
  benchStart,
];

const wanted = benches.filter(isWanted);
if (wanted.length === 0) {
  console.error(`None of the benches is named so: ${benches.map(({ name }) => name.slice("bench".length)).join(", ")}`);
  process.exit(1);
}

const rows: Row[] = [];
/** The parts that could not be measured: the others are, and the exit code tells. */
const failed: string[] = [];
for (const bench of wanted) {
  console.error(`${bench.name} …`);
  try {
    const measured = [await bench(extent)].flat();
    for (const { what, measured: value, baseline, result } of measured) {
      console.error(`  ${what}: ${value}, against ${baseline}: ${result}`);
    }
    rows.push(...measured);
  } catch (error) {
    failed.push(bench.name);
    console.error(`  ${bench.name} failed:`, error);
  }
}

const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => row[column].length)));
const line = (cells: readonly string[]) => cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ");
console.log(line(columns));
console.log(line(widths.map((width) => "─".repeat(width))));
for (const row of rows) console.log(line(columns.map((column) => row[column])));
console.log("\nWhere the rest goes:");
for (const { what, note } of rows) console.log(`  ${what}: ${note}`);
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(", ")}`);
  process.exitCode = 1;
}
