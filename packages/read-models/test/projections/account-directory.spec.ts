import { createSecretKey } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EventStore, openEmbeddedEventStore } from "@rubrica/event-store";
import { type AccountEvent, sample } from "@rubrica/events";
import { Journal } from "@rubrica/journal";
import type { KeyStore } from "@rubrica/key-store";
import { systemRuntime } from "@rubrica/runtime";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EventSourcedAccountDirectory } from "../../src/index.ts";

const runtime = systemRuntime();
const ownKey = createSecretKey(Buffer.alloc(32, 1));
const ownKeys: KeyStore = {
  obtain: async () => ownKey,
  find: async () => ownKey,
  destroy: async () => undefined,
  close: async () => undefined,
};

let folder: string;
const stores: EventStore[] = [];
const openJournal = (): Journal => {
  const store = openEmbeddedEventStore({
    path: join(folder, "events.sqlite"),
    clock: runtime.clock,
    pollIntervalMs: 20,
  });
  stores.push(store);
  return new Journal(store, ownKeys, runtime);
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rubrica-accounts-"));
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  rmSync(folder, { recursive: true });
});

const { accountId, teamId } = sample;
const otherId = "019aa5c0-0000-7000-8000-0000000000a2";
const sha = (digit: string) => digit.repeat(64);

const opened = (id: string): AccountEvent => ({
  type: "AccountOpened",
  data: { accountId: id, name: "ACME", plan: "basic" },
  personal: null,
});
const issued = (keyId: string, keySha256: string): AccountEvent => ({
  type: "ApiKeyIssued",
  data: { keyId, keySha256 },
  personal: null,
});
const on = (type: "ApiKeyRevoked" | "ApiKeyBlocked" | "ApiKeyUnblocked", keyId: string): AccountEvent => ({
  type,
  data: { keyId },
  personal: null,
});
const joined = (team: string): AccountEvent => ({ type: "JoinedTeam", data: { teamId: team }, personal: null });

/** Appends to an account's stream, wherever it ends. */
const append = async (journal: Journal, id: string, ...events: AccountEvent[]): Promise<void> => {
  const last = await journal.store.readLast(`account-${id}`);
  const end = last && {
    revision: last.revision,
    at: String(last.metadata.at),
    hash: String(last.metadata.hash),
  };
  await journal.append(`account-${id}`, end, events, {
    commandId: runtime.ids.uuidv7(),
    accountId: id,
    actor: "operator",
    correlationId: "c",
    causationId: "c",
  });
};

const refreshed = async (journal: Journal): Promise<EventSourcedAccountDirectory> => {
  const directory = new EventSourcedAccountDirectory(journal);
  await directory.refresh();
  return directory;
};

describe("keys", () => {
  test("are found by their hash until they are revoked", async () => {
    const journal = openJournal();
    await append(journal, accountId, opened(accountId), issued(sample.keyId, sha("a")));
    const directory = await refreshed(journal);
    expect(directory.find(sha("a"))).toEqual({ accountId, keyId: sample.keyId, blocked: false });
    expect(directory.find(sha("b"))).toBeUndefined();
    await append(journal, accountId, on("ApiKeyRevoked", sample.keyId));
    expect(directory.find(sha("a"))).toBeDefined();
    await directory.refresh();
    expect(directory.find(sha("a"))).toBeUndefined();
  });

  test("are blocked and unblocked, one by one", async () => {
    const journal = openJournal();
    await append(journal, accountId, opened(accountId), issued(sample.keyId, sha("a")), issued(teamId, sha("b")));
    await append(journal, accountId, on("ApiKeyBlocked", sample.keyId));
    const directory = await refreshed(journal);
    expect([directory.find(sha("a"))?.blocked, directory.find(sha("b"))?.blocked]).toEqual([true, false]);
    await append(journal, accountId, on("ApiKeyUnblocked", sample.keyId));
    await directory.refresh();
    expect(directory.find(sha("a"))?.blocked).toBe(false);
  });

  test("that are revoked stay unknown when they are unblocked after", async () => {
    const journal = openJournal();
    await append(journal, accountId, opened(accountId), issued(sample.keyId, sha("a")));
    await append(journal, accountId, on("ApiKeyRevoked", sample.keyId), on("ApiKeyUnblocked", sample.keyId));
    expect((await refreshed(journal)).find(sha("a"))).toBeUndefined();
  });
});

describe("accounts", () => {
  test("have the plan, the name and the campaigns that were set last", async () => {
    const journal = openJournal();
    const campaign = { campaignId: 3, name: "Leases", messageText: null, requestPhotos: true, validatePhotos: null };
    await append(
      journal,
      accountId,
      opened(accountId),
      { type: "PlanChanged", data: { plan: "pro" }, personal: null },
      { type: "BusinessNameChanged", data: { businessName: "ACME Homes" }, personal: null },
      { type: "CampaignCreated", data: campaign, personal: null },
      { type: "CreditsGranted", data: { amount: 1, balance: 1 }, personal: null },
      { type: "WebhookSecretIssued", data: {}, personal: { secret: "whsec_x" } },
    );
    expect((await refreshed(journal)).accountOf(accountId)).toEqual({
      accountId,
      name: "ACME",
      plan: "pro",
      businessName: "ACME Homes",
      teamId: null,
      campaigns: new Map([[3, campaign]]),
    });
  });

  test("have no business name until one is set", async () => {
    const journal = openJournal();
    await append(journal, accountId, opened(accountId));
    const directory = await refreshed(journal);
    expect(directory.accountOf(accountId)).toMatchObject({ businessName: null, teamId: null, plan: "basic" });
    expect(directory.accountOf(otherId)).toBeUndefined();
  });

  test("of a team are each other's mates, until one leaves for another team", async () => {
    const journal = openJournal();
    await append(journal, accountId, opened(accountId), joined(teamId));
    await append(journal, otherId, opened(otherId));
    const directory = await refreshed(journal);
    expect([directory.sameTeam(accountId, otherId), directory.teammatesOf(accountId)]).toEqual([false, []]);
    await append(journal, otherId, joined(teamId));
    await directory.refresh();
    expect([directory.sameTeam(accountId, otherId), directory.teammatesOf(accountId)]).toEqual([true, [otherId]]);
    await append(journal, otherId, joined(sample.bulkId));
    await directory.refresh();
    expect([directory.sameTeam(otherId, accountId), directory.teammatesOf(accountId)]).toEqual([false, []]);
  });

  test("without a team are in none, and every account is its own mate", async () => {
    const directory = await refreshed(openJournal());
    expect([directory.sameTeam("x", "y"), directory.sameTeam("x", "x")]).toEqual([false, true]);
  });
});

describe("keeping up", () => {
  const eventually = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await runtime.clock.wait(5);
  };

  test("what another process appends is known without being asked for", async () => {
    const directory = new EventSourcedAccountDirectory(openJournal());
    const following = new AbortController();
    const followed = directory.follow(following.signal);
    await append(openJournal(), accountId, opened(accountId), issued(sample.keyId, sha("a")));
    await eventually(() => directory.find(sha("a")) !== undefined);
    expect(directory.accountOf(accountId)?.name).toBe("ACME");
    following.abort();
    await followed;
  });

  test("a refresh knows what was committed before it, and reads nothing when there is nothing new", async () => {
    const journal = openJournal();
    await append(journal, accountId, opened(accountId), issued(sample.keyId, sha("a")));
    const elsewhere = { id: runtime.ids.uuidv7(), type: "Other", data: {}, metadata: {} };
    await journal.store.append("other-1", "no_stream", [elsewhere]);
    const directory = await refreshed(journal);
    let reads = 0;
    const { store } = journal;
    const readAll = store.readAll.bind(store);
    store.readAll = (...args) => {
      reads += 1;
      return readAll(...args);
    };
    await directory.refresh();
    expect(reads).toBe(0);
    await append(openJournal(), otherId, opened(otherId), issued(teamId, sha("b")));
    await directory.refresh();
    expect([reads, directory.find(sha("b"))?.accountId]).toEqual([1, otherId]);
  });

  test("following and refreshing at once apply each event once, in order", async () => {
    const journal = openJournal();
    const directory = new EventSourcedAccountDirectory(journal);
    const following = new AbortController();
    const followed = directory.follow(following.signal);
    await append(journal, accountId, opened(accountId), issued(sample.keyId, sha("a")));
    for (let round = 0; round < 30; round++) {
      await append(journal, accountId, on(round % 2 === 0 ? "ApiKeyBlocked" : "ApiKeyUnblocked", sample.keyId));
      await directory.refresh();
      expect(directory.find(sha("a"))?.blocked).toBe(round % 2 === 0);
    }
    following.abort();
    await followed;
    expect(directory.find(sha("a"))?.blocked).toBe(false);
  });
});
