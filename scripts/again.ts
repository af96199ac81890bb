// `npm run test:again`: runs tests again and again beside busy processes, and counts what failed: a test that fails by
// luck is to be found before it is met. By default `npm test` five times, and the files that measure something: 20 times
// those among its own, of which its own five runs are part, 5 times the rest.
// `-- --runs 2 --quick 10 --rest 2 --busy 4 --to FILE` sets that otherwise.
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { makeBundles } from "./bundle.ts";
import { measuring } from "./measuring.ts";
import { priorityOf, runTests, yieldAs } from "./testing.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "5" },
    quick: { type: "string", default: "20" },
    rest: { type: "string", default: "5" },
    busy: { type: "string", default: "4" },
    to: { type: "string" },
  },
});

/** What was run how often, and how often it failed. */
interface Count {
  what: string;
  runs: number;
  failures: { run: number; seed: number; tests: string[] }[];
}

const isQuick = (spec: string): boolean => !/(^|\/)system\//.test(spec);
const QUICK = ["quick", "measuring"];
/** So that they get their part of the machine beside the busy processes. */
const WORKERS_OF_QUICK = "--maxWorkers=8";
/** Apart, since they run at different priorities. */
const REST = [
  ["system", "faults", "processes"],
  ["attacks", "counted", "alone"],
];

/** Processes that compute without end, at the priority of these tests. */
const busyBeside = (projects: readonly string[]): ChildProcess[] =>
  Array.from({ length: Number(values.busy) }, () => {
    const other = spawn(process.execPath, ["--eval", "for (;;);"], { stdio: "ignore" });
    if (other.pid !== undefined) yieldAs(other.pid, priorityOf(projects));
    return other;
  });

const repeat = async (
  what: string,
  projects: readonly string[],
  filters: readonly string[],
  runs: number,
): Promise<Count> => {
  const failures: Count["failures"] = [];
  const others = busyBeside(projects);
  try {
    for (let run = 1; run <= runs; run += 1) {
      const seed = Math.floor(systemRandom.fraction() * 2 ** 31);
      const { status, report } = await runTests(projects, [...filters, `--sequence.seed=${seed}`], {
        env: { RUBRICA_ATTACK_SEED: String(seed) },
      });
      if (status === 0) continue;
      const tests = report.testResults.flatMap(({ name, assertionResults }) =>
        assertionResults.filter((test) => test.status === "failed").map(({ fullName }) => `${name}: ${fullName}`),
      );
      failures.push({ run, seed, tests });
    }
  } finally {
    for (const other of others) other.kill("SIGKILL");
  }
  return { what, runs, failures };
};

await makeBundles();
const startedMs = systemClock.monotonicMs();
const counts: Count[] = [];
const count = async (...given: Parameters<typeof repeat>) => {
  counts.push(await repeat(...given));
  if (values.to) writeFileSync(values.to, `${JSON.stringify(counts, null, 2)}\n`);
};
const runs = Number(values.runs);
await count("npm test", QUICK, [WORKERS_OF_QUICK], runs);
const quick = measuring.filter(isQuick);
const more = Math.max(0, Number(values.quick) - runs);
await count(`what measures in it, once more: ${quick.join(", ")}`, QUICK, [WORKERS_OF_QUICK, ...quick], more);
const rest = measuring.filter((spec) => !isQuick(spec));
for (const projects of REST)
  await count(`what measures in ${projects.join(", ")}`, projects, rest, Number(values.rest));
console.log(
  `\nBeside ${values.busy} busy processes, in ${Math.round((systemClock.monotonicMs() - startedMs) / 60_000)} min:`,
);
for (const { what, runs, failures } of counts) {
  console.log(`  ${failures.length} of ${runs} runs failed: ${what}`);
  for (const { run, seed, tests } of failures) console.log(`    run ${run}, seed ${seed}: ${tests.join("; ")}`);
}
process.exitCode = counts.some(({ failures }) => failures.length > 0) ? 1 : 0;
