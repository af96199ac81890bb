import type { Config } from "@rubrica/config";
import { compose, type Host, openHost, type Running, serve } from "@rubrica/hosting";
import { landingPage } from "@rubrica/hosting/shared/landing-page";
import { type Welcome, welcomeOf } from "@rubrica/hosting/shared/welcome";
import { ensureDataFolder } from "@rubrica/open-engines";
import { lockDataFolder } from "@rubrica/open-engines/folder-lock";
import { openWholeEngines } from "@rubrica/open-engines/stores";
import type { Runtime } from "@rubrica/runtime";
import { simulatorKeys } from "@rubrica/secrets";
import type { FastifyBaseLogger } from "fastify";
import { apiDescription } from "./api-description.ts";
import { type Faults, openApps } from "./apps.ts";
import { closeDemoAccount, openDemoAccount } from "./demo-account.ts";
import type { OperatorKeys } from "./welcome.ts";

/** The whole service, running. */
export interface Service extends Running {
  welcome: Welcome;
  keys: OperatorKeys;
}

/**
 * Starts the whole service in this process on embedded engines, and resolves when it answers.
 * @throws {DataFolderError} when the data folder can't be used. @throws {StoreFileError} @throws {ConfigError} @throws {ListenError}
 */
export const startService = async (
  config: Config,
  runtime: Runtime,
  logger: FastifyBaseLogger,
  faults?: Faults,
): Promise<Service> => {
  ensureDataFolder(config.dataDir);
  await using opening = new AsyncDisposableStack();
  opening.adopt(lockDataFolder(config.dataDir), (lock) => lock.close());
  const host = await openHost(openWholeEngines, config, runtime, logger);
  opening.defer(() => host.engines.close());
  const { publicUrl } = host;
  const keys = await operatorKeys(host);
  const { apps, shared, missing } = await openApps(host, faults);
  const welcome = welcomeOf(publicUrl, phonesOf(host), missing);
  const all = compose([...shared, ...Object.values(apps), { routes: landingPage(welcome) }]);
  const running = await serve(host, all, { ...apiDescription, publicUrl });
  const opened = opening.move();
  return {
    welcome,
    keys,
    failed: running.failed,
    async close() {
      await running.close();
      await opened.disposeAsync();
    },
  };
};

/** Where simulated phones are seen; null where signers have true ones. */
const phonesOf = ({ config, publicUrl }: Host): string | null =>
  config.messaging.includes("simulator") ? (config.simulatorUrl ?? publicUrl) : null;

const operatorKeys = async ({ engines, config, runtime, logger }: Host): Promise<OperatorKeys> => {
  const { phone: simulator } = simulatorKeys(engines.secrets, config.simulatorKey);
  if (config.local) return { simulator, demo: await openDemoAccount(engines, config.demoApiKey, runtime) };
  const blocked = await closeDemoAccount(engines);
  if (blocked > 0) logger.warn({ blocked }, "the data folder was a demo's: its printed keys are blocked");
  return { simulator, demo: null };
};
