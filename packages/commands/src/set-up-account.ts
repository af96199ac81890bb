import { grantFirstCredits, issueApiKey, issueFirstWebhookSecret, openAccount } from "@rubrica/domain";
import { derivedId, type Plan } from "@rubrica/events";
import type { CommandContext } from "@rubrica/journal";
import { type Handlers, stepOf } from "./handlers.ts";

/** An account as it is to be, with its first key. */
export interface AccountToSetUp {
  accountId: string;
  name: string;
  plan: Plan;
  credits: number;
  webhookSecret: string;
  key: { keyId: string; keySha256: string; name?: string | null };
}

/**
 * Opens an account with its credits, its webhook secret and a key. Each step decides nothing where it was done: doing it
 * again, or in two processes at once, finishes what was cut and changes nothing else.
 */
export const setUpAccount = async (
  { accounts }: Handlers,
  { accountId, name, plan, credits, webhookSecret, key }: AccountToSetUp,
  context: CommandContext,
): Promise<void> => {
  await accounts.handle(accountId, openAccount, { accountId, name, plan }, stepOf(context, "open"));
  if (credits > 0) {
    const grant = { grantId: derivedId("first-credits", accountId), amount: credits };
    await accounts.handle(accountId, grantFirstCredits, grant, stepOf(context, "credits"));
  }
  const secret = { secret: webhookSecret };
  await accounts.handle(accountId, issueFirstWebhookSecret, secret, stepOf(context, "webhook-secret"));
  await accounts.handle(accountId, issueApiKey, key, stepOf(context, "key", key.keyId));
};
