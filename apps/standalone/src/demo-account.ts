import { setUpAccount } from "@rubrica/commands";
import { blockApiKey, openedAccount } from "@rubrica/domain";
import { demoAccountId, derivedId } from "@rubrica/events";
import type { CommandContext } from "@rubrica/journal";
import type { Engines } from "@rubrica/open-engines";
import type { Runtime } from "@rubrica/runtime";
import { apiKeyFrom, apiKeySha256, newWebhookSecret } from "@rubrica/secrets";

const DEMO_CREDITS = 1_000;

const idOfKey = (keySha256: string): string => derivedId("demo-key", keySha256);

const context: CommandContext = {
  commandId: demoAccountId,
  accountId: demoAccountId,
  actor: "operator",
  correlationId: demoAccountId,
  causationId: demoAccountId,
};

/** The demo account's key, and whether it is taken. */
export interface DemoKey {
  apiKey: string;
  keyId: string;
  state: "active" | "blocked" | "revoked";
  /** What the account's webhooks are signed with; null when it was forgotten. */
  webhookSecret: string | null;
}

/**
 * Opens the demo account at the first start (plan pro, 1,000 credits) and gives its API key and its webhooks' secret.
 * Unless `demoApiKey` sets it, the key is made of SECRET, so that each start can print it though only its hash is
 * kept.
 */
export const openDemoAccount = async (
  { handlers, secrets }: Engines,
  demoApiKey: string | undefined,
  { random }: Runtime,
): Promise<DemoKey> => {
  const apiKey = demoApiKey ?? apiKeyFrom(secrets.hmac("demo-api-key", []));
  const keySha256 = apiKeySha256(apiKey);
  const keyId = idOfKey(keySha256);
  const account = {
    accountId: demoAccountId,
    name: "Demo",
    plan: "pro" as const,
    credits: DEMO_CREDITS,
    webhookSecret: newWebhookSecret(random),
    key: { keyId, keySha256 },
  };
  await setUpAccount(handlers, account, context);
  const state = await handlers.accounts.load(demoAccountId);
  const opened = openedAccount(state);
  return { apiKey, keyId, state: opened.keys[keyId]?.state ?? "active", webhookSecret: opened.webhookSecret };
};

/**
 * Blocks the keys that earlier starts of a folder printed, or that DEMO_API_KEY set: who has seen one of them is not who
 * may ask for signatures once others reach the service. Keys that the operator issued to the account stay.
 *
 * @returns how many it blocked.
 */
export const closeDemoAccount = async ({ handlers }: Engines): Promise<number> => {
  const account = await handlers.accounts.load(demoAccountId);
  if (account.status === "none") return 0;
  const printed = Object.values(account.keys).filter(
    ({ keyId, keySha256, state }) => state === "active" && keyId === idOfKey(keySha256),
  );
  for (const { keyId } of printed) {
    await handlers.accounts.handle(demoAccountId, blockApiKey, { keyId }, context);
  }
  return printed.length;
};
