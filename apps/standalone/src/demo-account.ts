import { setUpAccount } from "@rubrica/commands";
import type { Engines } from "@rubrica/engines";
import { derivedId } from "@rubrica/events";
import type { Runtime } from "@rubrica/runtime";
import { apiKeyFrom, apiKeySha256, newWebhookSecret } from "@rubrica/secrets";

const DEMO_CREDITS = 1_000;

/** The demo account's id, the same in every installation. */
export const demoAccountId = derivedId("demo-account");

/**
 * Opens the demo account at the first start (plan pro, 1,000 credits) and gives its API key. Unless `demoApiKey` sets it,
 * the key is made of SECRET, so that each start can print it though only its hash is kept.
 */
export const openDemoAccount = async (
  { handlers, secrets }: Engines,
  demoApiKey: string | undefined,
  { random }: Runtime,
): Promise<string> => {
  const apiKey = demoApiKey ?? apiKeyFrom(secrets.hmac("demo-api-key", []));
  const keySha256 = apiKeySha256(apiKey);
  const account = {
    accountId: demoAccountId,
    name: "Demo",
    plan: "pro" as const,
    credits: DEMO_CREDITS,
    webhookSecret: newWebhookSecret(random),
    key: { keyId: derivedId("demo-key", keySha256), keySha256 },
  };
  const commandId = demoAccountId;
  const context = {
    commandId,
    accountId: demoAccountId,
    actor: "operator",
    correlationId: commandId,
    causationId: commandId,
  };
  await setUpAccount(handlers, account, context);
  return apiKey;
};
