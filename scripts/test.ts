// `npm test`: types, lint, format and the quick tests. `npm run test:all` (`--all`): every test. At the end the slowest
// files, and what was skipped for want of what. With paths, the tests that they name run, whichever command's they are.
import { availableParallelism } from "node:os";
import { systemClock } from "@rubrica/runtime";
import { sayEngines } from "@rubrica/test-kit/deployment";
import { makeBundles } from "./bundle.ts";
import { runChecks } from "./check.ts";
import {
  keepReport,
  list,
  merged,
  runTests,
  runTogether,
  sayFailed,
  saySkipped,
  saySlowest,
  type TestRun,
} from "./testing.ts";

/** Of `npm test`, so many that want tools may be skipped where these are missing: with npm alone it is about this many. */
const MOST_SKIPPED = 435;
const QUICK = ["quick", "measuring"];
const ALL = [...QUICK, "system", "attacks", "faults", "processes", "counted", "alone"];
/**
 * Stages, one after the other, and in each the groups of projects that run at the same time. Attacks run one by one on
 * one service, and faults wait for what they stopped. What counts calls stands still for most of its time: the quick
 * tests, which nobody judges by time, take the processors meanwhile, and yield them whenever they are asked for.
 */
const STAGES = [[["system"]], [["attacks"], ["faults", "processes"]], [["alone"]], [QUICK, ["counted"]]];

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;
const startedMs = systemClock.monotonicMs();

const given = process.argv.slice(2);
const all = given.includes("--all");
/** CI has every tool. Elsewhere it is only told what the other tests lack. */
const skipNothing = given.includes("--skip-nothing");
const filters = given.filter((argument) => argument !== "--all" && argument !== "--skip-nothing");
if (filters.length === 0 && !runChecks()) process.exit(1);
await makeBundles();

const runAll = async (): Promise<TestRun> => {
  const runs: TestRun[] = [];
  for (const groups of STAGES) runs.push(await runTogether(groups));
  return merged(runs);
};

const isWhole = all && filters.length === 0;
const run = await (isWhole ? runAll() : runTests(all || filters.length > 0 ? ALL : QUICK, filters));
if (filters.length === 0) keepReport(run, all ? "all" : "quick");

saySlowest(run);
const skipped = saySkipped(run);
if (all) list("Engines over the wire", sayEngines());
const most = skipNothing ? 0 : all ? Number.POSITIVE_INFINITY : MOST_SKIPPED;
if (skipped > most) console.log(`\n${skipped} tests were skipped; at most ${most} may be.`);
const took = seconds(systemClock.monotonicMs() - startedMs);
sayFailed(run);
console.log(`\n${run.report.testResults.length} files in ${took}, on ${availableParallelism()} processors.`);
process.exit(run.status === 0 && skipped > most ? 1 : run.status);
