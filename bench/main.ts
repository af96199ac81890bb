// `npm run bench`: a table of ratios, each against a baseline measured in the same run. `-- --quick` does less.
import { benchAppend } from "./append.ts";
import { benchBulk, benchBulkMemory } from "./bulk.ts";
import { benchHelpers } from "./helpers.ts";
import { benchHttp, benchStart } from "./http.ts";
import type { Row } from "./measure.ts";
import { benchLag, benchReplay } from "./replay.ts";
import { benchReport } from "./report.ts";
import { benchSeal } from "./seal.ts";

const extent = { quick: process.argv.includes("--quick") };
const columns = ["what", "measured", "baseline", "result", "aim"] as const;

const rows: Row[] = [];
for (const bench of [
  benchAppend,
  benchHttp,
  benchReplay,
  benchLag,
  benchBulk,
  benchBulkMemory,
  benchSeal,
  benchReport,
  benchHelpers,
  benchStart,
]) {
  console.error(`${bench.name} …`);
  rows.push(...[await bench(extent)].flat());
}

const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => row[column].length)));
const line = (cells: readonly string[]) => cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ");
console.log(line(columns));
console.log(line(widths.map((width) => "─".repeat(width))));
for (const row of rows) console.log(line(columns.map((column) => row[column])));
console.log("\nWhere the rest goes:");
for (const { what, note } of rows) console.log(`  ${what}: ${note}`);
