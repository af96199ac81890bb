import { setUpAccount } from "@rubrica/commands";
import { configFrom } from "@rubrica/config";
import { openStores } from "@rubrica/open-engines/stores";
import { systemRuntime } from "@rubrica/runtime";
import { apiKeySha256, newApiKey, newWebhookSecret } from "@rubrica/secrets";

/** What an account may use. */
export interface AccountOptions {
  name: string;
  plan?: "basic" | "pro";
  /** Signatures for bulk calls. */
  credits?: number;
}

/** An account that was opened. */
export interface Opened {
  apiKey: string;
  /** Its name where tasks wait for helpers. */
  caller: string;
}

/** Opens an account beside the running service, as `rubrica account create` does. */
export const openAccount = async (
  dataDir: string,
  { name, plan = "basic", credits = 0 }: AccountOptions,
): Promise<Opened> => {
  const runtime = systemRuntime();
  const { ids, random } = runtime;
  const stores = await openStores(configFrom({ DATA_DIR: dataDir }), runtime);
  try {
    const [accountId, apiKey, commandId] = [ids.uuidv7(), newApiKey(random), ids.uuidv7()];
    const key = { keyId: ids.uuidv7(), keySha256: apiKeySha256(apiKey) };
    const context = { commandId, accountId, actor: "operator", correlationId: commandId, causationId: commandId };
    const toSetUp = { accountId, name, plan, credits, webhookSecret: newWebhookSecret(random), key } as const;
    await setUpAccount(stores.handlers, toSetUp, context);
    return { apiKey, caller: `account:${accountId}` };
  } finally {
    await stores.close();
  }
};
