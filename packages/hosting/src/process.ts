import { type Config, configFrom } from "@rubrica/config";
import { createLogger } from "@rubrica/http";
import { ensureDataFolder, exitMessage, type NoEngines, type OpenEngines } from "@rubrica/open-engines";
import { type Runtime, systemRuntime } from "@rubrica/runtime";
import type { FastifyBaseLogger } from "fastify";
import type { App } from "./app.ts";
import { collectAtRest } from "./at-rest.ts";
import { Ending } from "./ending.ts";
import { type Host, openHost } from "./host.ts";
import { ListenError } from "./listen.ts";
import { type AppNeeds, requireNeeds } from "./needs.ts";
import { type Running, serve } from "./serve.ts";
import { whenReachable } from "./when-reachable.ts";

/** Starts what a process is for. */
export type Start = (config: Config, runtime: Runtime, logger: FastifyBaseLogger) => Promise<Running>;

/**
 * What every `main.ts` is: starts what the environment's configuration says, and ends when it is asked to, within 10 s,
 * or when what runs fails. Why it could not start, or failed, is said in a sentence, and it ends with 1.
 */
export const runProcess = async (start: Start): Promise<void> => {
  // Only the owner may read the files, also those that other programs write for the service.
  process.umask(0o077);
  const runtime = systemRuntime();
  const ending = new Ending(runtime);
  const fail = (error: unknown): never => {
    console.error(exitMessage(error, { known: [ListenError], environment: process.env }));
    process.exit(1);
  };
  try {
    const config = configFrom(process.env);
    const { clock } = runtime;
    const logger = createLogger({ clock, level: config.logLevel, pretty: process.stdout.isTTY ?? false });
    const running = await start(config, runtime, logger);
    const { gc } = globalThis;
    // The runtime has it where it is started so (`--expose-gc`). This flavor lets go of code that nothing has run for long.
    const collect = () => gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
    if (gc)
      collectAtRest(clock, collect).catch((error) => logger.warn({ err: error }, "memory stays as it was gathered"));
    ending.by(() => running.close());
    running.failed.catch(fail);
  } catch (error) {
    fail(error);
  }
};

/** An app as a process of its own has it. */
export interface AppProcess<Opened extends NoEngines> extends AppNeeds {
  /** Opens the engines that it needs. */
  engines: OpenEngines<Opened>;
  /** Composes the app and what it needs; what it opened before it failed ends with the process. */
  open(host: Host<Opened>): Promise<App>;
}

/**
 * Starts one app in a process of its own. While an engine over the wire does not answer it is alive, not ready, and tries
 * again.
 * @throws {ConfigError} naming what it lacks.
 */
export const startApp =
  <Opened extends NoEngines>({ engines, open, ...needs }: AppProcess<Opened>): Start =>
  async (config, runtime, logger) => {
    requireNeeds(config, needs);
    if (needs.keepsFiles) for (const sentence of ensureDataFolder(config.dataDir)) logger.warn(sentence);
    const host = await whenReachable({ config, runtime, logger }, () => openHost(engines, config, runtime, logger));
    const running = await serve(host, await open(host));
    process.stderr.write(`The ${needs.name} of Rubrica listens on http://${config.host}:${config.port}\n`);
    return {
      failed: running.failed,
      async close() {
        await running.close();
        await host.engines.close();
      },
    };
  };
