import { type AccountEvent, DEFAULT_WEBHOOK_TYPES, type Plan, type WebhookType } from "@rubrica/events";
import { DomainError } from "../decider.ts";
import { type Account, type Campaign, MAX_WEBHOOK_TESTS, type OpenAccount } from "./state.ts";

/** The account once it was opened. @throws {DomainError} unknown_account */
export const openedAccount = (account: Account): OpenAccount => {
  if (account.status === "none") throw new DomainError("unknown_account", "there is no such account");
  return account;
};

/** Opens an account, once. */
export const openAccount = (
  account: Account,
  { accountId, name, plan }: { accountId: string; name: string; plan: Plan },
): AccountEvent[] =>
  account.status === "none" ? [{ type: "AccountOpened", data: { accountId, name, plan }, personal: null }] : [];

/** Sets the name that signers see as the requester. @throws {DomainError} unknown_account */
export const changeBusinessName = (account: Account, { businessName }: { businessName: string }): AccountEvent[] =>
  openedAccount(account).businessName === businessName
    ? []
    : [{ type: "BusinessNameChanged", data: { businessName }, personal: null }];

/** Changes the plan. @throws {DomainError} unknown_account */
export const changePlan = (account: Account, { plan }: { plan: Plan }): AccountEvent[] =>
  openedAccount(account).plan === plan ? [] : [{ type: "PlanChanged", data: { plan }, personal: null }];

/** Issues the secret that signs the account's webhooks; a new one replaces the former. @throws {DomainError} unknown_account */
export const issueWebhookSecret = (account: Account, { secret }: { secret: string }): AccountEvent[] =>
  openedAccount(account).webhookSecret === secret
    ? []
    : [{ type: "WebhookSecretIssued", data: {}, personal: { secret } }];

/** Issues an account's first such secret. Nothing when it has one. @throws {DomainError} unknown_account */
export const issueFirstWebhookSecret = (account: Account, command: { secret: string }): AccountEvent[] =>
  openedAccount(account).webhookSecret === null ? issueWebhookSecret(account, command) : [];

/** What the account's webhooks are told. */
export const webhookEventsOf = (account: Account): readonly WebhookType[] =>
  (account.status === "open" && account.webhookEvents) || DEFAULT_WEBHOOK_TYPES;

/** Chooses what the webhooks of documents that are asked for from now on are told. @throws {DomainError} unknown_account */
export const chooseWebhookEvents = (
  account: Account,
  { webhookEvents }: { webhookEvents: readonly WebhookType[] },
): AccountEvent[] => {
  const before = webhookEventsOf(openedAccount(account));
  const chosen = new Set(webhookEvents);
  if (chosen.size === before.length && before.every((type) => chosen.has(type))) return [];
  return [{ type: "WebhookEventsChosen", data: { webhookEvents: [...chosen] }, personal: null }];
};

/** How long a replaced secret signs beside the new one. */
const FORMER_SECRET_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** What the account's webhooks are signed with: its secret, and those that it replaced within a day. `now`: UNIX, in ms. */
export const webhookSecretsAt = (account: Account, now: number): string[] => {
  if (account.status === "none" || account.webhookSecret === null) return [];
  const former = account.formerWebhookSecrets.filter(
    ({ replacedAt }) => now - Date.parse(replacedAt) < FORMER_SECRET_MS,
  );
  return [account.webhookSecret, ...former.map(({ secret }) => secret)];
};

/**
 * Tries webhooks out, ten times an hour at most. `now`: milliseconds since the UNIX epoch.
 * @throws {DomainError} unknown_account; too_many_webhook_tests
 */
export const requestWebhookTest = (
  account: Account,
  { testId, now }: { testId: string; now: number },
): AccountEvent[] => {
  const { webhookTests } = openedAccount(account);
  const recent = webhookTests.filter((at) => now - Date.parse(at) < HOUR_MS);
  if (recent.length >= MAX_WEBHOOK_TESTS) {
    throw new DomainError("too_many_webhook_tests", "webhooks were tried out ten times within the hour");
  }
  return [{ type: "WebhookTestRequested", data: { testId }, personal: null }];
};

/** Joins a team, leaving the former one: accounts of one team read each other's documents. @throws {DomainError} unknown_account */
export const joinTeam = (account: Account, { teamId }: { teamId: string }): AccountEvent[] =>
  openedAccount(account).teamId === teamId ? [] : [{ type: "JoinedTeam", data: { teamId }, personal: null }];

/** What a campaign sets; its id is given by the account. */
export type CreateCampaign = Omit<Campaign, "campaignId">;

const isSameRhythm = (a: Campaign["reminders"], b: Campaign["reminders"]): boolean =>
  a?.afterHours === b?.afterHours && a?.everyHours === b?.everyHours && a?.max === b?.max;

const isSame = (campaign: Campaign, command: CreateCampaign): boolean =>
  campaign.messageText === command.messageText &&
  campaign.requestPhotos === command.requestPhotos &&
  campaign.validatePhotos === command.validatePhotos &&
  campaign.retentionDays === command.retentionDays &&
  campaign.expiresInDays === command.expiresInDays &&
  campaign.refusalHours === command.refusalHours &&
  campaign.silenceHours === command.silenceHours &&
  isSameRhythm(campaign.reminders, command.reminders);

/**
 * Creates a campaign; ids count from 1 in each account. Nothing when it is there already, with the same content.
 * @throws {DomainError} unknown_account; campaign_exists when the name is another campaign's.
 */
export const createCampaign = (account: Account, command: CreateCampaign): AccountEvent[] => {
  const { campaigns } = openedAccount(account);
  const namesake = campaigns.find(({ name }) => name === command.name);
  if (namesake && !isSame(namesake, command)) throw new DomainError("campaign_exists", "a campaign has that name");
  if (namesake) return [];
  const { name, messageText, requestPhotos, validatePhotos, ...times } = command;
  const { retentionDays, expiresInDays, refusalHours, silenceHours, reminders } = times;
  const settings = {
    messageText,
    requestPhotos,
    validatePhotos,
    retentionDays,
    expiresInDays,
    refusalHours,
    silenceHours,
    reminders,
  };
  const data = { campaignId: campaigns.length + 1, name, ...settings };
  return [{ type: "CampaignCreated", data, personal: null }];
};
