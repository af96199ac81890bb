import {
  type Account,
  grantCredits,
  issueApiKey,
  issueWebhookSecret,
  openAccount,
  openedAccount,
} from "@rubrica/domain";
import type { Engines } from "@rubrica/engines";
import { derivedId } from "@rubrica/events";
import { keySha256 } from "@rubrica/http";
import type { CommandContext } from "@rubrica/journal";
import type { Runtime } from "@rubrica/runtime";

const DEMO_CREDITS = 1_000;
const KEY_PREFIX = "rk_";
const WEBHOOK_SECRET_BYTES = 32;

/** The demo account's id, the same in every installation. */
export const demoAccountId = derivedId("demo-account");

/**
 * Opens the demo account at the first start (plan pro, 1,000 credits) and gives its API key. Unless `demoApiKey` sets it,
 * the key is made of SECRET, so that each start can print it though only its hash is kept.
 */
export const openDemoAccount = async (
  { handlers: { accounts }, secrets }: Engines,
  demoApiKey: string | undefined,
  { random }: Runtime,
): Promise<string> => {
  const key = demoApiKey ?? `${KEY_PREFIX}${secrets.hmac("demo-api-key", []).toString("base64url")}`;
  const sha256 = keySha256(key);
  const context = (step: string): CommandContext => {
    const commandId = `${demoAccountId}/${step}`;
    return { commandId, accountId: demoAccountId, actor: "operator", correlationId: commandId, causationId: commandId };
  };
  // Each step looks for itself at what is there: a start may be cut between any two.
  const opening = { accountId: demoAccountId, name: "Demo", plan: "pro" as const };
  const account = openedAccount((await accounts.handle(demoAccountId, openAccount, opening, context("open"))).state);
  if (account.balance === 0 && account.paidBulks === null) {
    await accounts.handle(demoAccountId, grantCredits, { amount: DEMO_CREDITS }, context("credits"));
  }
  if (account.webhookSecret === null) {
    const secret = `whsec_${random.bytes(WEBHOOK_SECRET_BYTES).toString("base64")}`;
    await accounts.handle(demoAccountId, issueWebhookSecret, { secret }, context("webhook-secret"));
  }
  if (!hasKey(await accounts.load(demoAccountId), sha256)) {
    const keyId = derivedId("demo-key", sha256);
    await accounts.handle(demoAccountId, issueApiKey, { keyId, keySha256: sha256 }, context(`key/${keyId}`));
  }
  return key;
};

const hasKey = (account: Account, sha256: string): boolean =>
  account.status === "open" && Object.values(account.keys).some(({ keySha256: known }) => known === sha256);
