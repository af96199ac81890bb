import { ConfigError, requireWhatsApp } from "@rubrica/config";
import { type Host, ownAddress } from "@rubrica/hosting";
import type { IdentityProvider } from "@rubrica/identity";
import { createHttpIdentityProvider } from "@rubrica/identity/provider";
import { createHttpMessagingProvider, type MessagingProvider, signingLinkBase } from "@rubrica/messaging";
import { createWhatsAppProvider } from "@rubrica/messaging/whatsapp";
import { providerMessageId, simulatorKeys } from "@rubrica/secrets";

/** Who reaches signers, and who says whether photos show them: reached over HTTP, simulated ones too. */
export interface Providers {
  messaging: MessagingProvider;
  identityProvider: IdentityProvider;
}

/**
 * The providers that the configuration names, else the simulators: where SIMULATOR_URL says, or in this process.
 * @throws {ConfigError} when one can't be used.
 */
export const createProviders = (host: Host): Providers => {
  const { config, runtime, engines, logger } = host;
  const { clock } = runtime;
  const { identityProvider, simulatorUrl, simulatorKey } = config;
  const { provider: key } = simulatorKeys(engines.secrets, simulatorKey);
  const simulator = simulatorUrl ?? ownAddress(config);
  const simulated = (path: string) => ({
    url: `${simulator}${path}`,
    key,
    clock,
    isOwnProcess: !simulatorUrl,
    provider: { name: "Rubrica (simulador)", simulated: true },
  });
  if (config.messaging === "whatsapp" && !config.local && !identityProvider) {
    logger.warn(
      "IDENTITY_PROVIDER_URL is not set: signers whose photos are to be validated wait until it names a provider",
    );
  }
  return {
    messaging:
      whatsAppOf(host) ?? usable("SIMULATOR_URL", () => createHttpMessagingProvider(simulated("/simulator/messaging"))),
    identityProvider: identityProvider
      ? usable("IDENTITY_PROVIDER_URL and IDENTITY_PROVIDER_KEY", () =>
          createHttpIdentityProvider({
            ...identityProvider,
            clock,
            provider: { name: identityProvider.name, simulated: false },
          }),
        )
      : usable("SIMULATOR_URL", () => createHttpIdentityProvider(simulated("/simulator/identity"))),
  };
};

const whatsAppOf = ({ config, runtime, engines, publicUrl }: Host): MessagingProvider | undefined => {
  const whatsapp = requireWhatsApp(config);
  if (!whatsapp) return undefined;
  return usable("WHATSAPP_BASE_URL", () =>
    createWhatsAppProvider({
      ...whatsapp,
      linkBase: signingLinkBase(publicUrl),
      idOf: (wamid) => providerMessageId(engines.secrets, "wa", wamid),
      clock: runtime.clock,
    }),
  );
};

const usable = <Provider>(variables: string, create: () => Provider): Provider => {
  try {
    return create();
  } catch (error) {
    const reason = error instanceof RangeError ? error.message : "it is not understood";
    const named = variables.includes(" and ") ? `variables ${variables}` : `variable ${variables}`;
    throw new ConfigError(`The ${named} can't be used: ${reason}.`);
  }
};
