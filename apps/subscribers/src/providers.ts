import { ConfigError, type MessagingEngine, requireEmail, requireSms, requireWhatsApp } from "@rubrica/config";
import { type Host, ownAddress } from "@rubrica/hosting";
import type { IdentityProvider } from "@rubrica/identity";
import { createHttpIdentityProvider } from "@rubrica/identity/provider";
import {
  createHttpMessagingProvider,
  createSmsProvider,
  type MessagingProvider,
  type MessagingProviders,
  signingLinkBase,
} from "@rubrica/messaging";
import { createWhatsAppProvider } from "@rubrica/messaging/whatsapp";
import { providerMessageId, simulatorKeys } from "@rubrica/secrets";

/** Who reaches signers, and who says whether photos show them: reached over HTTP, simulated ones too. */
export interface Providers {
  messaging: MessagingProviders;
  identityProvider: IdentityProvider;
}

/**
 * The providers that the configuration names, else the simulators: where SIMULATOR_URL says, or in this process.
 * @throws {ConfigError} when one can't be used.
 */
export const createProviders = async (host: Host): Promise<Providers> => {
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
  if (!config.messaging.includes("simulator") && !config.local && !identityProvider) {
    logger.warn(
      "IDENTITY_PROVIDER_URL is not set: signers whose photos are to be validated wait until it names a provider",
    );
  }
  const simulatedPhones = () =>
    usable("SIMULATOR_URL", () => createHttpMessagingProvider(simulated("/simulator/messaging")));
  return {
    messaging: await messagingOf(host, simulatedPhones),
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

/** Those that MESSAGING names, in its order. */
const messagingOf = async (host: Host, simulatedPhones: () => MessagingProvider): Promise<MessagingProviders> => {
  type Created = MessagingProvider | undefined;
  const create: Record<MessagingEngine, () => Created | Promise<Created>> = {
    simulator: simulatedPhones,
    whatsapp: () => whatsAppOf(host),
    sms: () => smsOf(host),
    email: () => emailOf(host),
  };
  const created = await Promise.all(host.config.messaging.map((engine) => create[engine]()));
  return new Map(created.flatMap((provider) => (provider ? [[provider.medium, provider]] : [])));
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

const smsOf = ({ config, runtime, engines }: Host): MessagingProvider | undefined => {
  const sms = requireSms(config);
  if (!sms) return undefined;
  return usable("SMS_PROVIDER_URL and SMS_PROVIDER_KEY", () =>
    createSmsProvider({ ...sms, idOf: (id) => providerMessageId(engines.secrets, "sms", id), clock: runtime.clock }),
  );
};

const emailOf = async ({ config, runtime }: Host): Promise<MessagingProvider | undefined> => {
  const email = requireEmail(config);
  if (!email) return undefined;
  const { createEmailProvider } = await import("@rubrica/messaging/email");
  return createEmailProvider({ ...email, clock: runtime.clock, ids: runtime.ids });
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
