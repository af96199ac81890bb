import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Config, configFrom } from "@rubrica/config";
import { explainWire, requireStore } from "@rubrica/open-engines";
import { lockDataFolder } from "@rubrica/open-engines/folder-lock";
import { openKept } from "@rubrica/open-engines/records";
import { projectionsBy } from "@rubrica/read-models";
import type { Command } from "commander";
import { type Copied, migrate, verifyMigration } from "./migration/migrate.ts";
import { MigrationError } from "./migration/migration-error.ts";
import type { Step } from "./migration/step.ts";
import { stepTeller } from "./progress.ts";
import type { Surroundings } from "./session.ts";

const STEPS: Readonly<Record<Step, string>> = {
  "copy keys": "Keys copied",
  "copy files": "Files copied",
  "copy events": "Events copied",
  "check keys": "Keys checked",
  "check files": "Files checked",
  "check events": "Events checked",
};

/** The kinds of process that write to a data folder: none of them may run meanwhile. */
const WRITERS = ["service", "command-api"];

/** `migrate`. */
export const migrateCommand = (program: Command, surroundings: Surroundings): void => {
  program
    .command("migrate")
    .description(
      "copy the events, keys and files of the data folder to the engines that EVENTSTORE_URL and MONGODB_URL name; cut, it goes on when it is run again",
    )
    .option("--verify", "compare both, and change nothing")
    .action(async ({ verify = false }: { verify?: boolean }) => {
      const config = configFrom(surroundings.environment);
      checkEngines(config);
      requireStore({ ...config, eventStoreUrl: undefined });
      await using locked = new AsyncDisposableStack();
      for (const kind of WRITERS) locked.adopt(lockDataFolder(config.dataDir, kind), (lock) => lock.close());
      await copy(config, surroundings, verify);
    });
};

const checkEngines = ({ eventStoreUrl, mongodbUrl }: Config): void => {
  const missing = eventStoreUrl === undefined ? "EVENTSTORE_URL" : mongodbUrl === undefined ? "MONGODB_URL" : undefined;
  if (missing) throw new MigrationError(`The variable ${missing} is missing: it names the engine to copy to.`);
};

const copy = async (config: Config, { runtime, print }: Surroundings, verify: boolean): Promise<void> => {
  await using opened = new AsyncDisposableStack();
  const open = async (chosen: Config) => opened.adopt(await openKept(chosen, runtime), (engines) => engines.close());
  const from = await open({ ...config, eventStoreUrl: undefined, mongodbUrl: undefined });
  const to = await open(config);
  const migration = {
    from,
    to,
    collections: projectionsBy(to.customIdHmac),
    tell: stepTeller<Step>({ clock: runtime.clock, print: (line) => void print(line), wordsOf: (step) => STEPS[step] }),
  };
  const startedMs = runtime.clock.monotonicMs();
  const copied = await (verify ? verifyMigration(migration) : migrate(migration)).catch((error: unknown) => {
    throw explainWire(error);
  });
  const tookSeconds = ((runtime.clock.monotonicMs() - startedMs) / 1_000).toFixed(1);
  for (const line of summary(copied, config, verify, tookSeconds)) await print(line);
};

const summary = (copied: Copied, config: Config, verify: boolean, tookSeconds: string): string[] => {
  const [events, streams, keys, files, broken] = [
    copied.events,
    copied.streams,
    copied.keys,
    copied.files,
    copied.brokenChains,
  ].map((count) => count.toLocaleString("en"));
  const what = `${events} events in ${streams} streams, ${keys} keys, ${files} files`;
  return [
    `${verify ? "Compared" : "Copied and compared"} ${what}, in ${tookSeconds} s: both hold the same.`,
    copied.brokenChains === 0
      ? []
      : `The hash chain of ${broken} streams does not hold, in the copy as in the folder: \`rubrica audit verify\` names them.`,
    verify ? [] : remainder(config),
  ].flat();
};

/** What the apps go on using beside the engines. */
const remainder = ({ dataDir, secret }: Config): string[] => [
  secret === undefined
    ? `Each app needs the same SECRET from now on: set it to what ${join(dataDir, "secret")} holds.`
    : "Each app needs the same SECRET from now on.",
  ...(existsSync(join(dataDir, "pki"))
    ? [`What seals documents stays in ${join(dataDir, "pki")}: give that folder to the apps that seal and verify.`]
    : []),
];
