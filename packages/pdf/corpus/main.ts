// Inspects, stamps, seals and checks every PDF of a folder:
//   node packages/pdf/corpus/main.ts FOLDER [--all]
import { X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createHelperBudget } from "@rubrica/helpers";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { startTimestampServer } from "@rubrica/test-kit/pdf/timestamp-server";
import { createPdfEngine, loadOrCreateSigningIdentity, PDF_TASK_LIMITS } from "../src/index.ts";
import { inFolder } from "./check.ts";
import { PyHanko } from "./pyhanko.ts";
import { type Outcome, runCorpus } from "./run.ts";

const MAX_DURATION_MS = 10_000;
const MAX_MEMORY_MB = 512;
/** What the best library alone reached on healthy files. */
const GOOD_SHARE_TO_BEAT = 0.976;
/** Of healthy files, those that somebody signed and that show two things: nobody can make them show one. */
const OF_TWO_READINGS_SHARE = 0.01;
const OF_TWO_READINGS: readonly string[] = ["ambiguous", "shown_otherwise"];
/** Of unsigned files, those whose stamp is over nothing that is drawn. */
const CLEAR_SHARE = 0.98;

const [folder, ...flags] = process.argv.slice(2);
if (folder === undefined || !existsSync(folder)) {
  console.error("usage: npm run corpus -- FOLDER [--all]\n  FOLDER  a folder of PDFs\n  --all   list every file");
  process.exit(2);
}

const outcomes: Outcome[] = [];
let peakMb = 0;
await inFolder(async (temporary) => {
  const budget = createHelperBudget({ clock: systemClock, totalMb: 2 * PDF_TASK_LIMITS.memoryMb });
  const engine = createPdfEngine({ clock: systemClock, budget, processes: 2 });
  const identity = await loadOrCreateSigningIdentity(temporary, "http://localhost", systemClock, systemRandom);
  const [root, timestampRoot] = [join(temporary, "root.der"), join(temporary, "timestamps.der")];
  await writeFile(root, identity.issuers.at(-1) ?? identity.certificate);
  const server = await startTimestampServer(temporary);
  await writeFile(timestampRoot, new X509Certificate(await readFile(server.rootPath)).raw);
  const pyHanko = PyHanko.open([root, timestampRoot]);
  if (pyHanko === null) console.warn("pyHanko is not there (RUBRICA_PYTHON): it judges nothing");
  const bench = { engine, identity, clock: systemClock, pyHanko, timestampUrl: server.url };
  for await (const outcome of runCorpus(resolve(folder), bench)) {
    outcomes.push(outcome);
    peakMb = budget.highWaterMb();
    if (outcome.overMarks) console.log(`         over marks${" ".repeat(33)} ${outcome.file}`);
    if (flags.includes("--all") || (outcome.kind !== "good" && (outcome.healthy || outcome.kind !== "refused"))) {
      console.log(
        `${outcome.healthy ? "healthy" : "       "}  ${outcome.kind.padEnd(8)} ${outcome.reason.padEnd(34)} ${outcome.file}`,
      );
    }
  }
  pyHanko?.close();
  await server.close();
  await engine.close();
});

const count = (matches: (outcome: Outcome) => boolean) => outcomes.filter(matches).length;
const rows = new Map<string, { files: number; healthy: number }>();
for (const { kind, reason, healthy } of outcomes) {
  const key = reason === "" ? kind : `${kind}: ${reason}`;
  const row = rows.get(key) ?? { files: 0, healthy: 0 };
  rows.set(key, { files: row.files + 1, healthy: row.healthy + (healthy ? 1 : 0) });
}
console.table(Object.fromEntries([...rows].sort(([, a], [, b]) => b.files - a.files)));

const healthy = count((outcome) => outcome.healthy);
const good = count((outcome) => outcome.healthy && outcome.kind === "good");
const ofTwoReadings = count((outcome) => outcome.healthy && OF_TWO_READINGS.includes(outcome.reason));
const [clear, over] = [false, true].map((isOver) => count(({ overMarks }) => overMarks === isOver)) as [number, number];
const slowest = Math.max(0, ...outcomes.map(({ durationMs }) => durationMs));
console.log(`good of the healthy: ${good} of ${healthy} (${((100 * good) / Math.max(1, healthy)).toFixed(1)} %)`);
console.log(
  `stamps over no mark: ${clear} of ${clear + over} (${((100 * clear) / Math.max(1, clear + over)).toFixed(1)} %)`,
);
console.log(`slowest: ${Math.round(slowest)} ms; peak memory: ${Math.round(peakMb)} MB`);

const faults = [
  outcomes.length === 0 && "no PDFs were found",
  healthy > 0 && good / (healthy - ofTwoReadings) <= GOOD_SHARE_TO_BEAT && "too few of the healthy files came out good",
  ofTwoReadings > OF_TWO_READINGS_SHARE * healthy && "too many signed files were refused for showing two things",
  count(({ kind }) => kind === "bad" || kind === "crashed") > 0 && "some files crashed or came out bad",
  over > 0 && clear / (clear + over) < CLEAR_SHARE && "too many stamps are over what is drawn",
  slowest > MAX_DURATION_MS && "a file took too long",
  peakMb > MAX_MEMORY_MB && "too much memory was taken",
].filter((fault) => typeof fault === "string");
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
