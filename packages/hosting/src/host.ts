import { type Config, ConfigError } from "@rubrica/config";
import {
  createHelperBudget,
  type HelperBudget,
  LauncherError,
  type OtherUser,
  openOtherUser,
  ownMemoryMb,
} from "@rubrica/helpers";
import type { Engines, NoEngines, OpenEngines } from "@rubrica/open-engines";
import type { Runtime } from "@rubrica/runtime";
import type { FastifyBaseLogger } from "fastify";
import { attemptsIn } from "./metrics/attempts.ts";
import { diskMeasurements, helperMeasurements } from "./metrics/measurements.ts";
import { createMetrics, type Metrics } from "./metrics/metrics.ts";
import { tellUnmet } from "./unmet.ts";

/**
 * Memory of a process and all of its helpers, without what they share: with it a service stays under 900 MB. Helpers
 * have what the process leaves them, within bounds: the least lets any one task of theirs be done.
 */
const ALL_MB = 780;
const HELPERS_MB = { least: 450, most: 620 };

/** What a process gives to every app in it; `Opened`: the engines that its apps need. */
export interface Host<Opened extends NoEngines = Engines> {
  config: Config;
  runtime: Runtime;
  logger: FastifyBaseLogger;
  engines: Opened;
  /** For the pools of helper processes of all apps. */
  budget: HelperBudget;
  /** What the process tells of itself. */
  metrics: Metrics;
  /** Where the outside reaches the service, without a trailing slash. */
  publicUrl: string;
}

/**
 * Opens engines that the configuration names, by one of the functions of `@rubrica/open-engines`; whoever calls closes them.
 * @throws {DataFolderError} when the data folder can't be used. @throws {StoreFileError} when one of its files can't be.
 * @throws {EngineUnreachable} when one over the wire does not answer. @throws {ConfigError} when helpers can't be run as who
 * is to run them.
 */
export const openHost = async <Opened extends NoEngines>(
  open: OpenEngines<Opened>,
  config: Config,
  runtime: Runtime,
  logger: FastifyBaseLogger,
): Promise<Host<Opened>> => {
  const user = helpersUser(config);
  const metrics = createMetrics(runtime);
  const engines = await open(config, runtime, {
    warn: (sentence) => logger.warn(sentence),
    appended: (events) => {
      for (const attempt of attemptsIn(events, config)) metrics.count("attempts", attempt);
    },
    unmet: (failure) => tellUnmet(logger, failure),
  });
  const onEnded = (pool: string, outcome: string) => metrics.count("tasks", { pool, outcome });
  const leftMb = () => Math.max(HELPERS_MB.least, ALL_MB - ownMemoryMb());
  const budget = createHelperBudget({ clock: runtime.clock, totalMb: HELPERS_MB.most, leftMb, user, onEnded });
  metrics.measure({ ...helperMeasurements(budget), ...diskMeasurements(config) });
  return { config, runtime, logger, engines, budget, metrics, publicUrl: publicUrlOf(config) };
};

/** Refuses to start where the named launcher does not work: without it, helpers could read what the service can. */
const helpersUser = ({ helpersLauncher }: Config): OtherUser | undefined => {
  if (helpersLauncher === undefined) return undefined;
  try {
    return openOtherUser(helpersLauncher);
  } catch (error) {
    if (!(error instanceof LauncherError)) throw error;
    throw new ConfigError(`The variable HELPERS_LAUNCHER can't be used: ${error.message}.`);
  }
};

const publicUrlOf = ({ publicUrl, port }: Config): string => publicUrl ?? `http://localhost:${port}`;
