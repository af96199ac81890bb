import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Config, ConfigError } from "@rubrica/config";

/** What an app needs to do its work in a process of its own. */
export interface AppNeeds {
  /** By its folder. */
  name: string;
  /** It gives or takes obligations. */
  onBus?: boolean;
  /** It holds the key that seals. */
  seals?: boolean;
  /** It makes links to the service. */
  links?: boolean;
  /** It sends to providers. */
  sends?: boolean;
  /** It works with files in the data folder, whatever engines there are. */
  keepsFiles?: boolean;
  /** It may have a secret that is no other app's. */
  ownSecret?: boolean;
}

const missing = (variable: string, why: string): ConfigError =>
  new ConfigError(`The variable ${variable} is missing: ${why}.`);

/** Each gives what an app lacks, if it does. */
const lacks: readonly ((config: Config, needs: AppNeeds) => ConfigError | undefined)[] = [
  ({ natsUrl }, { name, onBus }) =>
    onBus && natsUrl === undefined
      ? new ConfigError(
          `The app ${name} can't run alone on embedded engines, whose message bus reaches no other process: set NATS_URL, or start the whole service instead (npm start).`,
        )
      : undefined,
  ({ eventStoreUrl, mongodbUrl }, { name }) => {
    if ((eventStoreUrl === undefined) === (mongodbUrl === undefined)) return undefined;
    const [there, other] = eventStoreUrl ? ["EVENTSTORE_URL", "MONGODB_URL"] : ["MONGODB_URL", "EVENTSTORE_URL"];
    return missing(other, `${there} is set, and what the app ${name} shares with others lies in both or in neither`);
  },
  (config, { name, ownSecret }) =>
    config.secret === undefined && !ownSecret && (isOverTheWire(config) || !existsSync(join(config.dataDir, "secret")))
      ? missing("SECRET", `the app ${name} needs the one that all others have`)
      : undefined,
  (config, { name, links }) =>
    links && isOverTheWire(config) && config.publicUrl === undefined
      ? missing("PUBLIC_URL", `the app ${name} makes links, and does not stand where they lead`)
      : undefined,
  (config, { name, sends }) =>
    sends && config.simulatorUrl === undefined && (config.messaging.includes("simulator") || !config.identityProvider)
      ? missing("SIMULATOR_URL", `the app ${name} sends to the simulators, which are not in its process`)
      : undefined,
  (config, { name, seals }) =>
    seals && isOverTheWire(config) && config.signingCertificate === undefined && !hasAuthority(config)
      ? missing(
          "SIGNING_CERTIFICATE_P12",
          `the app ${name} seals as all others do, and DATA_DIR has no authority (pki) that was made before`,
        )
      : undefined,
];

/** Whether what apps share lies beyond the data folder. */
const isOverTheWire = ({ eventStoreUrl, mongodbUrl }: Config): boolean =>
  eventStoreUrl !== undefined || mongodbUrl !== undefined;

const hasAuthority = ({ dataDir }: Config): boolean =>
  ["authority", "seal"].every((name) => existsSync(join(dataDir, "pki", name)));

/** @throws {ConfigError} naming what an app lacks to do its work in a process of its own. */
export const requireNeeds = (config: Config, needs: AppNeeds): void => {
  for (const lackOf of lacks) {
    const lack = lackOf(config, needs);
    if (lack) throw lack;
  }
};
