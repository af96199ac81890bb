import { type AccountEvent, sample } from "@rubrica/events";
import { describe, expect, test } from "vitest";
import {
  accountFold,
  blockApiKey,
  campaignOf,
  changeBusinessName,
  changePlan,
  chooseWebhookEvents,
  createCampaign,
  foldOf,
  grantCredits,
  grantFirstCredits,
  issueApiKey,
  issueFirstWebhookSecret,
  issueWebhookSecret,
  joinTeam,
  openAccount,
  refundCredits,
  requestWebhookTest,
  revokeApiKey,
  spendCredits,
  unblockApiKey,
  webhookSecretsAt,
} from "../src/index.ts";
import { given as givenFold } from "../src/testing.ts";

const given = (...history: AccountEvent[]) => givenFold(accountFold, ...history);
const event = <Type extends AccountEvent["type"]>(type: Type, data: Extract<AccountEvent, { type: Type }>["data"]) =>
  ({ type, data, personal: null }) as AccountEvent;

const { accountId, keyId, grantId, bulkId, documentId, teamId, otherDocumentId } = sample;
const account = { accountId, name: "ACME", plan: "basic" as const };
const opened = event("AccountOpened", account);
const keySha256 = "4e".repeat(32);
const issued = event("ApiKeyIssued", { name: null, keyId, keySha256 });
const blocked = event("ApiKeyBlocked", { keyId });
const unblocked = event("ApiKeyUnblocked", { keyId });
const revoked = event("ApiKeyRevoked", { keyId });

describe("an account", () => {
  test("is opened, once", () => {
    given().when(openAccount, account).then(opened);
    given(opened)
      .when(openAccount, { ...account, name: "Other" })
      .then();
  });
  test("that was never opened has nothing to change", () => {
    given().when(issueApiKey, { keyId, keySha256 }).fails("unknown_account");
    given().when(revokeApiKey, { keyId }).fails("unknown_account");
    given().when(blockApiKey, { keyId }).fails("unknown_account");
    given().when(unblockApiKey, { keyId }).fails("unknown_account");
    given().when(changeBusinessName, { businessName: "ACME Homes" }).fails("unknown_account");
    given().when(changePlan, { plan: "pro" }).fails("unknown_account");
    given().when(grantCredits, { grantId, amount: 1 }).fails("unknown_account");
    given().when(spendCredits, { bulkId, amount: 1 }).fails("unknown_account");
    given().when(refundCredits, { documentId, amount: 1 }).fails("unknown_account");
    given().when(issueWebhookSecret, { secret: "whsec_1" }).fails("unknown_account");
    given().when(joinTeam, { teamId }).fails("unknown_account");
    given()
      .when(createCampaign, {
        name: "Leases",
        messageText: null,
        requestPhotos: null,
        validatePhotos: null,
        retentionDays: null,
        expiresInDays: null,
        refusalHours: null,
        silenceHours: null,
        reminders: null,
      })
      .fails("unknown_account");
  });
  test("begins with no credits, keys, team, campaigns or business name", () =>
    expect(foldOf(accountFold, [opened])).toMatchObject({
      status: "open",
      ...account,
      businessName: null,
      balance: 0,
      keys: {},
      campaigns: [],
      teamId: null,
      webhookSecret: null,
      formerWebhookSecrets: [],
      webhookTests: [],
    }));
});

describe("an API key", () => {
  const state = (...history: AccountEvent[]) => foldOf(accountFold, [opened, issued, ...history]);
  const active = { keys: { [keyId]: { keyId, keySha256, state: "active" } } };

  test("is issued, once", () => {
    given(opened).when(issueApiKey, { keyId, keySha256 }).then(issued);
    given(opened, issued).when(issueApiKey, { keyId, keySha256 }).then();
    expect(state()).toMatchObject(active);
  });
  test("is blocked until it is unblocked", () => {
    given(opened, issued).when(blockApiKey, { keyId }).then(blocked);
    given(opened, issued, blocked).when(blockApiKey, { keyId }).then();
    given(opened, issued, blocked).when(unblockApiKey, { keyId }).then(unblocked);
    given(opened, issued).when(unblockApiKey, { keyId }).then();
    expect(state(blocked)).toMatchObject({ keys: { [keyId]: { state: "blocked" } } });
    expect(state(blocked, unblocked)).toMatchObject(active);
  });
  test("is revoked for good, a blocked one too", () => {
    given(opened, issued).when(revokeApiKey, { keyId }).then(revoked);
    given(opened, issued, blocked).when(revokeApiKey, { keyId }).then(revoked);
    given(opened, issued, revoked).when(revokeApiKey, { keyId }).then();
    given(opened, issued, revoked).when(blockApiKey, { keyId }).fails("unknown_key");
    given(opened, issued, revoked).when(unblockApiKey, { keyId }).fails("unknown_key");
    given(opened, issued, revoked).when(issueApiKey, { keyId, keySha256 }).then();
    expect(state(revoked)).toMatchObject({ keys: { [keyId]: { state: "revoked" } } });
  });
  test("that is unknown can be neither revoked nor blocked", () => {
    given(opened).when(revokeApiKey, { keyId }).fails("unknown_key");
    given(opened).when(blockApiKey, { keyId }).fails("unknown_key");
    given(opened).when(unblockApiKey, { keyId }).fails("unknown_key");
  });
  test("is one of several", () => {
    const other = event("ApiKeyIssued", { name: null, keyId: teamId, keySha256 });
    expect(foldOf(accountFold, [opened, issued, other, revoked])).toMatchObject({
      keys: { [keyId]: { state: "revoked" }, [teamId]: { state: "active" } },
    });
  });
});

describe("name, plan, team and secret", () => {
  const renamed = event("BusinessNameChanged", { businessName: "ACME Homes" });
  const upgraded = event("PlanChanged", { plan: "pro" });
  const joined = event("JoinedTeam", { teamId });
  const secret: AccountEvent = { type: "WebhookSecretIssued", data: {}, personal: { secret: "whsec_1" } };

  test("the business name changes, and stays what it is", () => {
    given(opened).when(changeBusinessName, { businessName: "ACME Homes" }).then(renamed);
    given(opened, renamed).when(changeBusinessName, { businessName: "ACME Homes" }).then();
    given(opened, renamed)
      .when(changeBusinessName, { businessName: "ACME" })
      .then(event("BusinessNameChanged", { businessName: "ACME" }));
  });
  test("the plan changes, and stays what it is", () => {
    given(opened).when(changePlan, { plan: "pro" }).then(upgraded);
    given(opened).when(changePlan, { plan: "basic" }).then();
    given(opened, upgraded)
      .when(changePlan, { plan: "basic" })
      .then(event("PlanChanged", { plan: "basic" }));
  });
  test("what webhooks tell is chosen, each kind once, and stays what it is; at first it is the contract's kinds", () => {
    const contract = ["rejection", "msg", "report", "alert"] as const;
    given(opened).when(chooseWebhookEvents, { webhookEvents: contract }).then();
    const chosen = event("WebhookEventsChosen", { webhookEvents: ["alert", "canceled"] });
    given(opened)
      .when(chooseWebhookEvents, { webhookEvents: ["alert", "canceled", "alert"] })
      .then(chosen);
    given(opened, chosen)
      .when(chooseWebhookEvents, { webhookEvents: ["canceled", "alert"] })
      .then();
    given(opened, chosen)
      .when(chooseWebhookEvents, { webhookEvents: ["alert"] })
      .then(event("WebhookEventsChosen", { webhookEvents: ["alert"] }));
    given(opened, chosen)
      .when(chooseWebhookEvents, { webhookEvents: [...contract, "canceled"] })
      .then(event("WebhookEventsChosen", { webhookEvents: [...contract, "canceled"] }));
    given(opened, chosen)
      .when(chooseWebhookEvents, { webhookEvents: [] })
      .then(event("WebhookEventsChosen", { webhookEvents: [] }));
  });
  test("an account is in one team at a time", () => {
    given(opened).when(joinTeam, { teamId }).then(joined);
    given(opened, joined).when(joinTeam, { teamId }).then();
    given(opened, joined)
      .when(joinTeam, { teamId: accountId })
      .then(event("JoinedTeam", { teamId: accountId }));
    expect(foldOf(accountFold, [opened, joined])).toMatchObject({ teamId });
  });
  test("a first webhook secret is issued to who has none", () => {
    given(opened).when(issueFirstWebhookSecret, { secret: "whsec_1" }).then(secret);
    given(opened, secret).when(issueFirstWebhookSecret, { secret: "whsec_2" }).then();
  });
  test("a webhook secret is issued, and replaced", () => {
    given(opened).when(issueWebhookSecret, { secret: "whsec_1" }).then(secret);
    given(opened, secret).when(issueWebhookSecret, { secret: "whsec_1" }).then();
    given(opened, secret)
      .when(issueWebhookSecret, { secret: "whsec_2" })
      .then({ ...secret, personal: { secret: "whsec_2" } } as AccountEvent);
    expect(foldOf(accountFold, [opened, secret])).toMatchObject({ webhookSecret: "whsec_1" });
    expect(foldOf(accountFold, [opened, { ...secret, personal: null } as AccountEvent])).toMatchObject({
      webhookSecret: null,
    });
  });
});

describe("credits", () => {
  const granted = event("CreditsGranted", { amount: 10, balance: 10, grantId });
  const spent = event("CreditsSpent", { bulkId, amount: 7, balance: 3 });
  const refunded = event("CreditsRefunded", { documentId, amount: 1, balance: 4 });

  test("are granted on top of what there is", () => {
    given(opened).when(grantCredits, { grantId, amount: 10 }).then(granted);
    given(opened, granted)
      .when(grantCredits, { grantId: teamId, amount: 10 })
      .then(event("CreditsGranted", { amount: 10, balance: 20, grantId: teamId }));
  });
  test("are granted once for each grant, also when they were spent since", () => {
    given(opened, granted).when(grantCredits, { grantId, amount: 10 }).then();
    given(opened, granted, spent).when(grantCredits, { grantId, amount: 10 }).then();
  });
  test("of a grant whose id was not kept yet are granted on top of", () => {
    const old = event("CreditsGranted", { amount: 5, balance: 5, grantId: null });
    given(opened, old)
      .when(grantCredits, { grantId, amount: 10 })
      .then(event("CreditsGranted", { amount: 10, balance: 15, grantId }));
  });
  test("come first once, to an account that had none", () => {
    given(opened).when(grantFirstCredits, { grantId, amount: 10 }).then(granted);
    given(opened, granted).when(grantFirstCredits, { grantId: teamId, amount: 10 }).then();
    const spentAll = event("CreditsSpent", { bulkId, amount: 10, balance: 0 });
    given(opened, granted, spentAll).when(grantFirstCredits, { grantId: teamId, amount: 10 }).then();
  });
  test("pay for all rows of a bulk call, the last credit included", () => {
    given(opened, granted).when(spendCredits, { bulkId, amount: 7 }).then(spent);
    given(opened, granted)
      .when(spendCredits, { bulkId, amount: 10 })
      .then(event("CreditsSpent", { bulkId, amount: 10, balance: 0 }));
  });
  test("that do not suffice for all rows pay for none", () => {
    given(opened, granted).when(spendCredits, { bulkId, amount: 11 }).fails("credits_exhausted");
    given(opened).when(spendCredits, { bulkId, amount: 1 }).fails("credits_exhausted");
  });
  test("are spent once for each bulk call, also when none are left since", () => {
    given(opened, granted, spent).when(spendCredits, { bulkId, amount: 7 }).then();
    given(opened, granted, spent).when(spendCredits, { bulkId: teamId, amount: 4 }).fails("credits_exhausted");
    given(opened, granted, spent)
      .when(spendCredits, { bulkId: teamId, amount: 3 })
      .then(event("CreditsSpent", { bulkId: teamId, amount: 3, balance: 0 }));
  });
  test("are refunded once for each document", () => {
    given(opened, granted, spent).when(refundCredits, { documentId, amount: 1 }).then(refunded);
    given(opened, granted, spent, refunded).when(refundCredits, { documentId, amount: 1 }).then();
    given(opened, granted, spent, refunded)
      .when(refundCredits, { documentId: otherDocumentId, amount: 1 })
      .then(event("CreditsRefunded", { documentId: otherDocumentId, amount: 1, balance: 5 }));
  });
  test("remember every bulk call and document, in whatever order", () => {
    const earlier = event("CreditsSpent", { bulkId: teamId, amount: 1, balance: 9 });
    given(opened, granted, earlier, spent).when(spendCredits, { bulkId: teamId, amount: 1 }).then();
  });
});

describe("a campaign", () => {
  const leases = {
    name: "Leases",
    messageText: "Please sign",
    requestPhotos: true,
    validatePhotos: null,
    retentionDays: null,
    expiresInDays: null,
    refusalHours: null,
    silenceHours: null,
    reminders: null,
  };
  const created = event("CampaignCreated", { campaignId: 1, ...leases });

  test("has an id that counts from 1 in each account", () => {
    given(opened).when(createCampaign, leases).then(created);
    given(opened, created)
      .when(createCampaign, { ...leases, name: "Loans" })
      .then(event("CampaignCreated", { ...leases, campaignId: 2, name: "Loans" }));
  });
  test("is created once", () => given(opened, created).when(createCampaign, leases).then());
  test.each([{ messageText: null }, { requestPhotos: false }, { validatePhotos: true }, { retentionDays: 30 }])(
    "does not take the name of another: %j",
    (other) =>
      given(opened, created)
        .when(createCampaign, { ...leases, ...other })
        .fails("campaign_exists"),
  );
  test("is found by its id", () => {
    const state = foldOf(accountFold, [opened, created]);
    expect(campaignOf(state, 1)).toEqual({ campaignId: 1, ...leases });
    expect(campaignOf(state, 2)).toBeUndefined();
    expect(campaignOf(accountFold.initial, 1)).toBeUndefined();
  });
});

describe("webhooks", () => {
  const START_MS = Date.parse("2026-11-21T12:00:00.000Z");
  const HOUR_MS = 3_600_000;
  const at = (hours: number) => ({ metadata: { at: new Date(START_MS + hours * HOUR_MS).toISOString() } });
  const issued = (secret: string, hours: number) =>
    ({ type: "WebhookSecretIssued", data: {}, personal: { secret }, ...at(hours) }) as AccountEvent;

  test("are signed with a secret that was replaced as well, for a day", () => {
    const account = foldOf(accountFold, [opened, issued("whsec_1", 0), issued("whsec_2", 1), issued("whsec_3", 10)]);
    const secretsAfter = (hours: number) => webhookSecretsAt(account, START_MS + hours * HOUR_MS);
    expect(secretsAfter(10)).toEqual(["whsec_3", "whsec_2", "whsec_1"]);
    expect(secretsAfter(25)).toEqual(["whsec_3", "whsec_2"]);
    expect(secretsAfter(34)).toEqual(["whsec_3"]);
    expect(webhookSecretsAt(foldOf(accountFold, [opened]), START_MS)).toEqual([]);
  });

  test("are tried out ten times an hour at most", () => {
    const tested = (hours: number) =>
      ({
        type: "WebhookTestRequested",
        data: { testId: sample.grantId },
        personal: null,
        ...at(hours),
      }) as AccountEvent;
    const ten = Array.from({ length: 10 }, (_, number) => tested(number / 100));
    const command = (hours: number) => ({ testId: sample.grantId, now: START_MS + hours * HOUR_MS });
    given(opened, ...ten.slice(1))
      .when(requestWebhookTest, command(0.5))
      .thenTypes("WebhookTestRequested");
    given(opened, ...ten)
      .when(requestWebhookTest, command(0.5))
      .fails("too_many_webhook_tests");
    given(opened, ...ten)
      .when(requestWebhookTest, command(1))
      .thenTypes("WebhookTestRequested");
    given().when(requestWebhookTest, command(0)).fails("unknown_account");
  });
});
