import { grantCredits, issueApiKey, issueWebhookSecret, openAccount, openedAccount } from "@rubrica/domain";
import type { Plan } from "@rubrica/events";
import type { CommandContext } from "@rubrica/journal";
import { type Handlers, stepOf } from "./handlers.ts";

/** An account as it is to be, with its first key. */
export interface AccountToSetUp {
  accountId: string;
  name: string;
  plan: Plan;
  credits: number;
  webhookSecret: string;
  key: { keyId: string; keySha256: string };
}

/**
 * Opens an account with its credits, its webhook secret and a key. Each step looks for itself at what is there, so that
 * doing it again finishes what was cut, and changes nothing that is done.
 */
export const setUpAccount = async (
  { accounts }: Handlers,
  { accountId, name, plan, credits, webhookSecret, key }: AccountToSetUp,
  context: CommandContext,
): Promise<void> => {
  const opened = await accounts.handle(accountId, openAccount, { accountId, name, plan }, stepOf(context, "open"));
  const account = openedAccount(opened.state);
  if (credits > 0 && account.balance === 0 && account.paidBulks === null) {
    await accounts.handle(accountId, grantCredits, { amount: credits }, stepOf(context, "credits"));
  }
  if (account.webhookSecret === null) {
    await accounts.handle(accountId, issueWebhookSecret, { secret: webhookSecret }, stepOf(context, "webhook-secret"));
  }
  await accounts.handle(accountId, issueApiKey, key, stepOf(context, "key", key.keyId));
};
