// What `npm run test:all` does in small: attacks on the running service, twenty times as many (every generator in every
// place, every helper process killed a hundred times), all shapes of PDFs and what they cost, all files of the corpus
// through the service, a migration of 1,000 documents, a hundred kills under load, analysts' tables of 20,000 documents,
// 8,000 bits flipped in each of three seals with timestamps, a hundred meetings of each two requests that end a document
// or change it, five thousand random lives judged after each step, and fifty faults between apps and engines over 1,000
// documents. Prints its figures as it goes. With arguments, vitest runs those specs alone: `npm run test:long migrate`.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules", ".bin", "vitest");

/** One run of vitest: the specs of a project (all, where it names none), with the variables that ask them for more. */
export interface LongRun {
  project: string;
  specs: readonly string[];
  environment: Readonly<Record<string, string>>;
}

export const longRuns: readonly LongRun[] = [
  { project: "attacks", specs: [], environment: { RUBRICA_ATTACK_SCALE: "20" } },
  { project: "system", specs: ["test/system/corpus.spec.ts"], environment: { RUBRICA_CORPUS_ONE_OF: "1" } },
  {
    project: "system",
    specs: ["packages/pdf/test/system/growth.spec.ts"],
    environment: { RUBRICA_SHAPES_ONE_OF: "1" },
  },
  {
    project: "processes",
    specs: ["test/system/migrate.spec.ts"],
    environment: { RUBRICA_MIGRATED_DOCUMENTS: "1000" },
  },
  {
    project: "quick",
    specs: ["packages/pdf/test/verification/verify.spec.ts"],
    environment: { RUBRICA_FLIPPED_BITS: "4000" },
  },
  { project: "system", specs: ["test/system/crash.spec.ts"], environment: { RUBRICA_KILLS: "100" } },
  {
    project: "system",
    specs: ["apps/projector/test/running/system/analytics-embedded.spec.ts"],
    environment: { RUBRICA_ANALYSED_DOCUMENTS: "20000" },
  },
  { project: "system", specs: ["test/system/meetings.spec.ts"], environment: { RUBRICA_MEETINGS: "100" } },
  {
    project: "system",
    specs: ["packages/domain/test/obligations/system/many-lives.spec.ts"],
    environment: { RUBRICA_LIVES: "5000" },
  },
  { project: "faults", specs: [], environment: { RUBRICA_FAULTS: "long" } },
];

/** What vitest is to look for, of a run that is given filters; undefined where they leave nothing of it. */
export const lookedFor = ({ specs }: LongRun, filters: readonly string[]): readonly string[] | undefined => {
  if (filters.length === 0) return specs;
  if (specs.length === 0) return filters;
  const wanted = specs.filter((spec) => filters.some((filter) => spec.includes(filter)));
  return wanted.length > 0 ? wanted : undefined;
};

if (import.meta.main) {
  const filters = process.argv.slice(2);
  const statuses = longRuns.map((run) => {
    const wanted = lookedFor(run, filters);
    if (!wanted) return 0;
    const args = ["run", "--project", run.project, "--passWithNoTests", ...wanted];
    const env = { ...process.env, ...run.environment };
    return spawnSync(vitest, args, { stdio: "inherit", cwd: root, env }).status ?? 1;
  });
  process.exit(statuses.some((status) => status !== 0) ? 1 : 0);
}
