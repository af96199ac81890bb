import { sample } from "@rubrica/events";
import { type Given, History, projected } from "@rubrica/test-kit/history";
import { expect, test } from "vitest";
import { accounts, apiKeys, membershipKey } from "../../src/index.ts";

const { accountId, keyId, teamId, sha256 } = sample;
const stream = { kind: "account", id: accountId } as const;
type Type = Parameters<History["add"]>[0];
const recordAfter = (...given: (Type | [Type, Given<never>])[]) => {
  const history = new History();
  for (const each of given) {
    const [type, content] = typeof each === "string" ? [each, {}] : each;
    history.add(type, content as object, stream);
  }
  return projected(accounts, history.events).get(accountId);
};

test("an account's record has its team and what became of its keys", () => {
  expect(recordAfter("AccountOpened")).toEqual({ accountId, teamId: null, membership: null, keys: {} });
  expect(recordAfter("AccountOpened", "JoinedTeam", "ApiKeyIssued", "ApiKeyBlocked")).toEqual({
    accountId,
    teamId,
    membership: membershipKey(teamId, accountId),
    keys: { [keyId]: "blocked" },
  });
  expect(recordAfter("AccountOpened", "ApiKeyIssued", "ApiKeyBlocked", "ApiKeyUnblocked")?.keys).toEqual({
    [keyId]: "active",
  });
});

test("a revoked key stays revoked", () =>
  expect(recordAfter("AccountOpened", "ApiKeyIssued", "ApiKeyRevoked", "ApiKeyUnblocked")?.keys).toEqual({
    [keyId]: "revoked",
  }));

test("each event applied twice changes nothing", () =>
  expect(
    recordAfter("AccountOpened", "AccountOpened", "JoinedTeam", "JoinedTeam", "ApiKeyIssued", "ApiKeyIssued"),
  ).toEqual(recordAfter("AccountOpened", "JoinedTeam", "ApiKeyIssued")));

test("what is no matter of teams and keys touches no record", () => {
  const history = new History();
  for (const type of ["CreditsGranted", "PlanChanged", "CampaignCreated"] as const)
    expect(accounts.keysOf(history.add(type, {}, stream))).toEqual([]);
});

test("a key is found by its SHA-256, whatever became of it", () => {
  const history = new History();
  for (const type of ["ApiKeyIssued", "ApiKeyIssued", "ApiKeyRevoked"] as const) history.add(type, {}, stream);
  expect(projected(apiKeys, history.events)).toEqual(new Map([[sha256, { accountId, keyId }]]));
});
