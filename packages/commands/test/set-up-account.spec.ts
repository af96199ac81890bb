import { openedAccount } from "@rubrica/domain";
import { sample } from "@rubrica/events";
import { contextOf, openWorld, type World } from "@rubrica/test-kit/commands";
import { expect, test } from "vitest";
import { createHandlers, setUpAccount } from "../src/index.ts";

const { accountId, keyId, sha256 } = sample;
const toSetUp = (webhookSecret: string) => ({
  accountId,
  name: "ACME",
  plan: "pro" as const,
  credits: 10,
  webhookSecret,
  key: { keyId, keySha256: sha256 },
});
const allOnce = ["AccountOpened", "CreditsGranted", "WebhookSecretIssued", "ApiKeyIssued"];
const typesOf = async (world: World) => (await world.eventsOf("account", accountId)).map(({ type }) => type);

test("an account is set up once, also by two processes at once", async () => {
  await using world = openWorld();
  const instantly = { ...world.runtime, clock: { ...world.runtime.clock, wait: async () => {} } };
  const [here, there] = [0, 1].map(() => createHandlers(world.journal, instantly)) as [
    World["handlers"],
    World["handlers"],
  ];
  await Promise.all([
    setUpAccount(here, toSetUp("whsec_here"), contextOf("set up")),
    setUpAccount(there, toSetUp("whsec_there"), contextOf("set up")),
  ]);
  expect(await typesOf(world)).toEqual(allOnce);
  const { balance, webhookSecret } = openedAccount(await here.accounts.load(accountId));
  expect(balance).toBe(10);
  await setUpAccount(there, toSetUp("whsec_later"), contextOf("again"));
  expect(await typesOf(world)).toEqual(allOnce);
  expect(openedAccount(await there.accounts.load(accountId)).webhookSecret).toBe(webhookSecret);
});
