import { join } from "node:path";
import { type Config, ConfigError } from "@rubrica/config";
import { createHttpIdentityProvider, type IdentityProvider, openIdentitySimulator } from "@rubrica/identity/provider";
import type { Images } from "@rubrica/images";
import type { Runtime } from "@rubrica/runtime";
import type { Secrets } from "@rubrica/secrets";

/** Who validates signers' photos, and what of it is to be closed. */
export interface Identity {
  provider: IdentityProvider;
  close(): Promise<void>;
}

/**
 * The identity provider that the environment names, else a simulation that keeps what it saw in the data folder.
 * @throws {ConfigError} when the one that is named can't be used.
 */
export const openIdentity = (
  { dataDir, identityProvider }: Pick<Config, "dataDir" | "identityProvider">,
  secrets: Secrets,
  images: Images,
  runtime: Runtime,
): Identity => {
  if (identityProvider) return { provider: overHttp(identityProvider, runtime), close: async () => undefined };
  const path = join(dataDir, "identity-simulator.sqlite");
  const simulator = openIdentitySimulator({ path, keys: secrets.subkeys("identity-simulator"), images, runtime });
  return { provider: simulator, close: async () => simulator.close() };
};

const overHttp = (named: NonNullable<Config["identityProvider"]>, { clock }: Runtime): IdentityProvider => {
  try {
    return createHttpIdentityProvider({ ...named, clock });
  } catch (error) {
    const reason = error instanceof RangeError ? error.message : "it is not understood";
    throw new ConfigError(`The variables IDENTITY_PROVIDER_URL and IDENTITY_PROVIDER_KEY can't be used: ${reason}.`);
  }
};
