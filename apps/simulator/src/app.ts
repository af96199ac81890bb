import { join } from "node:path";
import type { App, Host } from "@rubrica/hosting";
import { countedBy } from "@rubrica/http";
import type { Images } from "@rubrica/images";
import type { NoEngines } from "@rubrica/open-engines";
import { lockDataFolder } from "@rubrica/open-engines/folder-lock";
import { simulatorKeys } from "@rubrica/secrets";
import { identityProviderRoutes } from "./identity/routes.ts";
import { openIdentitySimulator } from "./identity/simulator.ts";
import { messagingProviderRoutes } from "./phone/provider-routes.ts";
import { simulatorRoutes } from "./phone/routes.ts";
import { noticesTo } from "./phone/service.ts";
import { openMessagingSimulator } from "./phone/simulator.ts";

/** What the simulators may share with other apps of their process, and where the service is. */
export interface SimulatorParts {
  images: Pick<Images, "glance">;
  /** Where the service takes notices: its address, without a path. */
  serviceUrl: string;
  /** Whether the service is this process. */
  isOwnProcess?: boolean;
}

/**
 * Opens the simulations of phones and of an identity provider. Both are reached over HTTP, as providers are, and keep
 * what they saw in the data folder.
 * @throws {DataFolderError} when another simulator has the folder. @throws {StoreFileError} when a file of theirs
 * can't be used. @throws {RangeError} when the service's address can't be.
 */
export const openSimulator = (host: Host<NoEngines>, { images, serviceUrl, isOwnProcess }: SimulatorParts): App => {
  const { config, runtime, engines } = host;
  const { secrets } = engines;
  // Each kept notice is told by one process.
  const lock = lockDataFolder(config.dataDir, "simulator");
  const keys = simulatorKeys(secrets, config.simulatorKey);
  const closing = new AbortController();
  const service = { url: serviceUrl, key: keys.notices, clock: runtime.clock, isOwnProcess };
  const phones = openMessagingSimulator({
    path: join(config.dataDir, "simulator.sqlite"),
    keys: secrets.subkeys("simulator"),
    runtime,
    onNotice: noticesTo(service, closing.signal),
  });
  const identity = openIdentitySimulator({
    path: join(config.dataDir, "identity-simulator.sqlite"),
    keys: secrets.subkeys("identity-simulator"),
    images,
    runtime,
  });
  return {
    async routes(server) {
      await server.register(async (scope) => {
        // Its page asks again with every change of any phone.
        countedBy(scope, "nobody");
        await scope.register(simulatorRoutes(phones, { key: keys.phone }));
      });
      await server.register(messagingProviderRoutes(phones, { key: keys.provider }));
      await server.register(identityProviderRoutes(identity, { key: keys.provider }));
    },
    async close() {
      closing.abort();
      identity.close();
      await phones.close();
      lock.close();
    },
  };
};
