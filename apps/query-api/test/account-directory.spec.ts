import { createSecretKey } from "node:crypto";
import { join } from "node:path";
import type { EventStore } from "@rubrica/event-store";
import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { type AccountEvent, sample } from "@rubrica/events";
import { ReadModelAccountDirectory } from "@rubrica/hosting/shared/account-directory";
import { Journal, UnreadableStreamError } from "@rubrica/journal";
import { createProjectionRunner } from "@rubrica/projector/running";
import { accounts, apiKeys, openEmbeddedReadModelStore, type ReadModelStore } from "@rubrica/read-models";
import { systemRuntime } from "@rubrica/runtime";
import type { KeyStore } from "@rubrica/storage";
import { eventually, temporaryFolder } from "@rubrica/test-kit";
import { streamEndIn } from "@rubrica/test-kit/stream-end";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const runtime = systemRuntime();
const { clock } = runtime;
const ownKey = createSecretKey(Buffer.alloc(32, 1));
const ownKeys = {
  obtain: async () => ownKey,
  findMany: async () => new Map(),
  log: { former: { head: async () => undefined } },
} as unknown as KeyStore;

let folder: ReturnType<typeof temporaryFolder>;
let readModels: ReadModelStore;
let journal: Journal;
const stores: EventStore[] = [];
/** As another process has it. */
const openJournal = (): Journal => {
  const store = openEmbeddedEventStore({ path: join(folder.path, "events.sqlite"), clock, pollIntervalMs: 20 });
  stores.push(store);
  return new Journal(store, ownKeys, runtime);
};
beforeEach(() => {
  folder = temporaryFolder();
  readModels = openEmbeddedReadModelStore({ path: ":memory:" });
  journal = openJournal();
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  await readModels.close();
  folder[Symbol.dispose]();
  expect(errors.splice(0)).toEqual([]);
});

/** Brings the read models up to what there is. */
const project = async (): Promise<void> => {
  const ending = new AbortController();
  const runner = createProjectionRunner({
    projections: [accounts, apiKeys],
    store: readModels,
    subscribe: (after, signal) => journal.subscribe({ after, signal }),
    clock,
    onStopped: (error) => errors.push(error),
  });
  const running = runner.run(ending.signal);
  await runner.caughtUp();
  ending.abort();
  await running;
};

const errors: unknown[] = [];
const openDirectory = () =>
  new ReadModelAccountDirectory({ journal, readModels, clock, onError: (error) => errors.push(error) });

const { accountId, teamId, keyId } = sample;
const otherId = "019aa5c0-0000-7000-8000-0000000000a2";
const sha = (digit: string) => digit.repeat(64);
const opened = (id: string): AccountEvent => ({
  type: "AccountOpened",
  data: { accountId: id, name: "ACME", plan: "basic" },
  personal: null,
});
const issued = (id: string, keySha256: string): AccountEvent => ({
  type: "ApiKeyIssued",
  data: { keyId: id, keySha256, name: null },
  personal: null,
});
const on = (type: "ApiKeyRevoked" | "ApiKeyBlocked" | "ApiKeyUnblocked", id: string): AccountEvent => ({
  type,
  data: { keyId: id },
  personal: null,
});
const joined = (team: string): AccountEvent => ({ type: "JoinedTeam", data: { teamId: team }, personal: null });

/** Appends to an account's stream, wherever it ends. */
const append = async (id: string, ...events: AccountEvent[]): Promise<void> => {
  const end = await streamEndIn(journal.store, `account-${id}`);
  await journal.append(`account-${id}`, end, events, {
    commandId: runtime.ids.uuidv7(),
    accountId: id,
    actor: "operator",
    correlationId: "c",
    causationId: "c",
  });
};

test("a key that somebody wrote into the read models alone opens nothing", async () => {
  await append(accountId, opened(accountId), issued(keyId, sha("a")));
  await project();
  const get = readModels.get.bind(readModels);
  vi.spyOn(readModels, "get").mockImplementation(async (projection, id) =>
    get(projection, projection.name === apiKeys.name && id === sha("c") ? sha("a") : id),
  );
  const directory = openDirectory();
  expect(await directory.find(sha("c"))).toBeUndefined();
  expect(errors.splice(0)).toMatchObject([{ message: expect.stringContaining("that no event issues") }]);
  expect(await directory.find(sha("a"))).toEqual({ accountId, keyId, blocked: false });
});

describe.each([
  ["with a projector that never ran", async () => {}],
  ["with a projector that has come to all", project],
])("%s", (_, projectIfAny) => {
  test("keys are found by their hash until they are revoked", async () => {
    await append(accountId, opened(accountId), issued(keyId, sha("a")));
    await projectIfAny();
    const directory = openDirectory();
    expect(await directory.find(sha("a"))).toEqual({ accountId, keyId, blocked: false });
    expect(await directory.find(sha("b"))).toBeUndefined();
    await append(accountId, on("ApiKeyRevoked", keyId));
    await projectIfAny();
    await directory.refresh();
    expect(await directory.find(sha("a"))).toBeUndefined();
    expect(await openDirectory().find(sha("a"))).toBeUndefined();
  });

  test("keys are blocked and unblocked, one by one, and revoked for good", async () => {
    await append(accountId, opened(accountId), issued(keyId, sha("a")), issued(teamId, sha("b")));
    await append(accountId, on("ApiKeyBlocked", keyId));
    await projectIfAny();
    const directory = openDirectory();
    const blocked = async () => [(await directory.find(sha("a")))?.blocked, (await directory.find(sha("b")))?.blocked];
    expect(await blocked()).toEqual([true, false]);
    await append(accountId, on("ApiKeyUnblocked", keyId), on("ApiKeyRevoked", teamId), on("ApiKeyUnblocked", teamId));
    await projectIfAny();
    await directory.refresh();
    expect(await blocked()).toEqual([false, undefined]);
  });

  test("accounts of a team are each other's mates, until one leaves for another team", async () => {
    await append(accountId, opened(accountId), joined(teamId));
    await append(otherId, opened(otherId));
    await projectIfAny();
    const directory = openDirectory();
    const mates = async () => [
      await directory.sameTeam(accountId, otherId),
      await directory.sameTeam(otherId, accountId),
      await directory.teammatesOf(accountId),
    ];
    expect(await mates()).toEqual([false, false, []]);
    await append(otherId, joined(teamId));
    await projectIfAny();
    await directory.refresh();
    expect(await mates()).toEqual([true, true, [otherId]]);
    await append(otherId, joined(sample.bulkId));
    await projectIfAny();
    await directory.refresh();
    expect(await mates()).toEqual([false, false, []]);
  });

  test("accounts without a team are in none, and every account is its own mate", async () => {
    await projectIfAny();
    const directory = openDirectory();
    expect([await directory.sameTeam("x", "y"), await directory.sameTeam("x", "x")]).toEqual([false, true]);
  });
});

describe("beside a projector that is behind", () => {
  beforeEach(async () => {
    await append(accountId, opened(accountId), joined(teamId), issued(keyId, sha("a")));
    await append(otherId, opened(otherId), issued(sample.bulkId, sha("b")));
    await project();
  });

  test("what came since is read, and nothing else", async () => {
    const subscribe = vi.spyOn(journal, "subscribe");
    const checkpoint = await readModels.checkpointOf(accounts);
    await append(accountId, on("ApiKeyBlocked", keyId));
    await append(otherId, joined(teamId));
    const directory = openDirectory();
    expect((await directory.find(sha("a")))?.blocked).toBe(true);
    expect((await directory.find(sha("b")))?.blocked).toBe(false);
    expect(await directory.teammatesOf(accountId)).toEqual([otherId]);
    expect(subscribe.mock.calls.map(([{ after }]) => after)).toEqual([checkpoint]);
  });

  test("what is in use costs no I/O, and whose document another's is costs none either", async () => {
    const directory = openDirectory();
    await directory.find(sha("a"));
    await directory.teammatesOf(accountId);
    const reads = [
      vi.spyOn(readModels, "get"),
      vi.spyOn(readModels, "findRange"),
      vi.spyOn(readModels, "checkpointOf"),
      vi.spyOn(journal, "subscribe"),
    ];
    expect(await directory.find(sha("a"))).toBeDefined();
    expect(await directory.sameTeam(accountId, otherId)).toBe(false);
    expect(await directory.sameTeam(accountId, "nobody")).toBe(false);
    for (const read of reads) expect(read).not.toHaveBeenCalled();
  });

  test("an account whose stream can't be read is not known; the others are", async () => {
    const end = await journal.store.streamEnd(`account-${accountId}`);
    const damaged = {
      id: runtime.ids.uuidv7(),
      type: "ApiKeyBlocked",
      data: { data: {}, personal: null },
      metadata: {},
    };
    await journal.store.append(`account-${accountId}`, end?.revision ?? "no_stream", [damaged]);
    const directory = openDirectory();
    await expect(directory.find(sha("a"))).rejects.toThrow(UnreadableStreamError);
    expect(await directory.find(sha("b"))).toBeDefined();
  });
});

describe("keeping up", () => {
  test("what another process appends is known without being asked for", async () => {
    await append(accountId, opened(accountId), issued(keyId, sha("a")));
    const directory = openDirectory();
    const following = new AbortController();
    const followed = directory.follow(following.signal);
    expect((await directory.find(sha("a")))?.blocked).toBe(false);
    const here = journal;
    journal = openJournal();
    await append(accountId, on("ApiKeyBlocked", keyId));
    journal = here;
    await eventually("the block", async () => (await directory.find(sha("a")))?.blocked === true);
    following.abort();
    await followed;
  });

  test("a failure is told, and the following goes on after it", async () => {
    const failure = new Error("down");
    vi.spyOn(readModels, "checkpointOf").mockRejectedValueOnce(failure);
    await append(accountId, opened(accountId), issued(keyId, sha("a")));
    const directory = openDirectory();
    const following = new AbortController();
    const followed = directory.follow(following.signal);
    await eventually("the failure", async () => errors.length > 0);
    expect(errors.splice(0)).toEqual([failure]);
    await append(accountId, on("ApiKeyBlocked", keyId));
    await eventually("the block", async () => (await directory.find(sha("a")))?.blocked === true);
    following.abort();
    await followed;
  });

  test("a refresh knows what was committed before it, and reads nothing when there is nothing new", async () => {
    const directory = openDirectory();
    await append(accountId, opened(accountId), issued(keyId, sha("a")));
    await directory.refresh();
    const subscribe = vi.spyOn(journal, "subscribe");
    await directory.refresh();
    expect(subscribe).not.toHaveBeenCalled();
    await append(otherId, opened(otherId), issued(teamId, sha("b")));
    await directory.refresh();
    expect((await directory.find(sha("b")))?.accountId).toBe(otherId);
    expect(subscribe).toHaveBeenCalledOnce();
  });

  test("following, refreshing and projecting at once take each event once, in order", async () => {
    const directory = openDirectory();
    const following = new AbortController();
    const followed = directory.follow(following.signal);
    await append(accountId, opened(accountId), issued(keyId, sha("a")));
    for (let round = 0; round < 30; round++) {
      await append(accountId, on(round % 2 === 0 ? "ApiKeyBlocked" : "ApiKeyUnblocked", keyId));
      const projected = round % 5 === 0 ? project() : undefined;
      await directory.refresh();
      expect((await directory.find(sha("a")))?.blocked).toBe(round % 2 === 0);
      await projected;
    }
    following.abort();
    await followed;
  });
});
