import type { AccountEvent, Plan, WebhookType } from "@rubrica/events";
import type { Dated, Fold } from "../decider.ts";

export interface ApiKey {
  keyId: string;
  keySha256: string;
  /** Null when it has none. */
  name: string | null;
  state: "active" | "blocked" | "revoked";
}

/** A template for requests; null is what it leaves to the defaults. */
export type Campaign = Extract<AccountEvent, { type: "CampaignCreated" }>["data"];

/** Ids in the order in which they came, the last one first: adding one copies nothing, however many there are. */
export interface IdChain {
  id: string;
  before: IdChain | null;
}

/** Whether the id is in the chain. */
export const includesId = (chain: IdChain | null, id: string): boolean => {
  for (let link = chain; link; link = link.before) if (link.id === id) return true;
  return false;
};

/** The stream is empty. */
export interface NoAccount {
  status: "none";
}
export interface OpenAccount {
  status: "open";
  accountId: string;
  name: string;
  plan: Plan;
  /** Null until one was set. */
  businessName: string | null;
  /** Credits left. */
  balance: number;
  keys: Readonly<Record<string, ApiKey>>;
  campaigns: readonly Campaign[];
  teamId: string | null;
  /** Null until one was issued, or when it was forgotten. */
  webhookSecret: string | null;
  /** The secrets that were replaced, the last one first, and when. */
  formerWebhookSecrets: readonly { secret: string; replacedAt: string }[];
  /** What the webhooks of its documents are told; null: the contract's kinds. */
  webhookEvents: readonly WebhookType[] | null;
  /** When webhooks were tried out, the last times. UTC, ISO 8601. */
  webhookTests: readonly string[];
  /** The gifts of credits. */
  grants: IdChain | null;
  /** The bulk calls that were paid for. */
  paidBulks: IdChain | null;
  /** The documents that were paid back. */
  refundedDocuments: IdChain | null;
}
export type Account = NoAccount | OpenAccount;

const opened = ({ data }: Extract<AccountEvent, { type: "AccountOpened" }>): OpenAccount => ({
  ...data,
  status: "open",
  businessName: null,
  balance: 0,
  keys: {},
  campaigns: [],
  teamId: null,
  webhookSecret: null,
  formerWebhookSecrets: [],
  webhookEvents: null,
  webhookTests: [],
  grants: null,
  paidBulks: null,
  refundedDocuments: null,
});

const withKeyState = (account: OpenAccount, keyId: string, state: ApiKey["state"]): OpenAccount => {
  const key = account.keys[keyId];
  return key ? { ...account, keys: { ...account.keys, [keyId]: { ...key, state } } } : account;
};

/** How many replaced secrets are kept, and how many webhook tests. */
const MAX_FORMER_SECRETS = 4;
export const MAX_WEBHOOK_TESTS = 10;

const withSecret = (account: OpenAccount, event: Dated<Extract<AccountEvent, { type: "WebhookSecretIssued" }>>) => {
  const { webhookSecret: former, formerWebhookSecrets } = account;
  const replaced = former && event.metadata ? [{ secret: former, replacedAt: event.metadata.at }] : [];
  return {
    ...account,
    webhookSecret: event.personal?.secret ?? null,
    formerWebhookSecrets: [...replaced, ...formerWebhookSecrets].slice(0, MAX_FORMER_SECRETS),
  };
};

const evolve = (account: Account, event: Dated<AccountEvent>): Account => {
  if (account.status === "none") return event.type === "AccountOpened" ? opened(event) : account;
  switch (event.type) {
    case "AccountOpened":
      return account;
    case "ApiKeyIssued":
      return { ...account, keys: { ...account.keys, [event.data.keyId]: { ...event.data, state: "active" } } };
    case "ApiKeyRevoked":
      return withKeyState(account, event.data.keyId, "revoked");
    case "ApiKeyBlocked":
      return withKeyState(account, event.data.keyId, "blocked");
    case "ApiKeyUnblocked":
      return withKeyState(account, event.data.keyId, "active");
    case "BusinessNameChanged":
    case "PlanChanged":
    case "JoinedTeam":
    case "WebhookEventsChosen":
      return { ...account, ...event.data };
    case "CampaignCreated":
      return { ...account, campaigns: [...account.campaigns, event.data] };
    case "WebhookSecretIssued":
      return withSecret(account, event);
    case "WebhookTestRequested": {
      const tests = event.metadata ? [...account.webhookTests, event.metadata.at] : account.webhookTests;
      return { ...account, webhookTests: tests.slice(-MAX_WEBHOOK_TESTS) };
    }
    case "CreditsGranted": {
      const { balance, grantId } = event.data;
      return {
        ...account,
        balance,
        grants: grantId === null ? account.grants : { id: grantId, before: account.grants },
      };
    }
    case "CreditsSpent": {
      const { balance, bulkId } = event.data;
      return { ...account, balance, paidBulks: { id: bulkId, before: account.paidBulks } };
    }
    case "CreditsRefunded": {
      const { balance, documentId } = event.data;
      return { ...account, balance, refundedDocuments: { id: documentId, before: account.refundedDocuments } };
    }
    default:
      return event satisfies never;
  }
};

/** An account as its stream tells it. */
export const accountFold: Fold<Account, AccountEvent> = { initial: { status: "none" }, evolve };

/** The campaign of that id, if the account has it. */
export const campaignOf = (account: Account, campaignId: number): Campaign | undefined =>
  account.status === "open" ? account.campaigns.find((campaign) => campaign.campaignId === campaignId) : undefined;
