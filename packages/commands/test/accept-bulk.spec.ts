import { hash } from "node:crypto";
import { openedAccount } from "@rubrica/domain";
import type { EventStore } from "@rubrica/event-store";
import { sample } from "@rubrica/events";
import { Journal } from "@rubrica/journal";
import { FileMissingError } from "@rubrica/storage";
import { bulkRowOf, contextOf, openWorld, type World } from "@rubrica/test-kit/commands";
import { describe, expect, test } from "vitest";
import {
  acceptBulk,
  type BulkCall,
  type BulkStores,
  bulkDocumentId,
  continueBulk,
  createHandlers,
  eraseDocument,
  forgetBulkRows,
  setUpAccount,
} from "../src/index.ts";

const { bulkId, accountId } = sample;
const template = Buffer.from("a template");

const call: BulkCall = {
  requester: null,
  requestIp: null,
  account: { accountId, plan: "pro", businessName: "ACME" },
  retentionDays: null,
  expiresAt: "2026-12-01T00:00:00.000Z",
  requestPhotos: true,
  validatePhotos: null,
  webhook: { url: "https://example.com/hook", headers: {} },
  rows: [bulkRowOf(1), bulkRowOf(2), bulkRowOf(3)],
};
const toAccept = { bulkId, template, call };
const context = contextOf(bulkId);

const openAccount = async ({ handlers }: World, credits: number) => {
  const key = { keyId: sample.keyId, keySha256: sample.sha256 };
  const account = { accountId, name: "ACME", plan: "pro", credits, webhookSecret: "whsec_x", key } as const;
  await setUpAccount(handlers, account, contextOf("account"));
};
const balanceOf = async ({ handlers }: World) => openedAccount(await handlers.accounts.load(accountId)).balance;
const typesOf = async (world: World, kind: "bulk" | "document" | "account", id: string) =>
  (await world.eventsOf(kind, id)).map(({ type }) => type);
const rowsRequested = async (world: World) =>
  Promise.all(call.rows.map((_row, index) => typesOf(world, "document", bulkDocumentId(bulkId, index))));

describe("a bulk call that is accepted", () => {
  test("spends a credit a row, and asks for each row's document", async () => {
    await using world = openWorld();
    await openAccount(world, 10);
    expect(await acceptBulk(world, toAccept, context)).toBe("accepted");
    expect(await typesOf(world, "bulk", bulkId)).toEqual(["BulkRequested", "BulkAccepted"]);
    expect(await balanceOf(world)).toBe(7);
    expect(await world.handlers.documents.load(bulkDocumentId(bulkId, 1))).toMatchObject({
      status: "preparing",
      channel: "bulk",
      bulk: { bulkId, row: 1 },
      authentication: "biometric",
      sendMessages: true,
      hasWebhook: true,
      expiresAt: call.expiresAt,
      texts: { businessName: "ACME", documentName: "Rubrica firma document", variables: { id: 2, amount: "$ 2" } },
      signers: [
        {
          order: 0,
          lineId: (await world.keys.lines.find(bulkRowOf(2).phoneLookup ?? ""))?.line,
          placement: { pages: "all", x: 60, y: 700 },
          person: { idCustom: "own-2", name: "Signer 2", idNumber: "30000002", phone: "5491140000002" },
        },
      ],
    });
  });

  test("keeps its template and rows until they are forgotten, encrypted under its own key", async () => {
    await using world = openWorld();
    await openAccount(world, 3);
    await acceptBulk(world, toAccept, context);
    const bulk = await world.handlers.bulks.load(bulkId);
    if (bulk.status === "none") throw new Error("it was not requested");
    expect(await world.files.get(bulkId, bulk.template.sha256)).toEqual(template);
    await forgetBulkRows(world, bulkId, context);
    await forgetBulkRows(world, bulkId, context);
    await expect(world.files.get(bulkId, bulk.template.sha256)).rejects.toThrow(FileMissingError);
    await expect(world.files.get(bulkId, bulk.rows.sha256)).rejects.toThrow(FileMissingError);
    expect((await typesOf(world, "bulk", bulkId)).slice(2)).toEqual(["BulkRowsForgotten"]);
  });

  test("is kept with something that nobody can guess: its event has the hash of its names and phones for good", async () => {
    await using world = openWorld();
    await openAccount(world, 6);
    const hashes = new Set<string>();
    for (const id of ["a1", "a2"].map((end) => `${bulkId.slice(0, -2)}${end}`)) {
      await acceptBulk(world, { ...toAccept, bulkId: id }, context);
      const bulk = await world.handlers.bulks.load(id);
      if (bulk.status === "none") throw new Error("it was not requested");
      const { salt, ...kept } = JSON.parse(Buffer.from(await world.files.get(id, bulk.rows.sha256)).toString());
      expect(kept).toEqual(JSON.parse(JSON.stringify(call)));
      expect(salt).toMatch(/^[0-9a-f]{64}$/);
      hashes.add(hash("sha256", JSON.stringify(kept))).add(bulk.rows.sha256);
    }
    expect(hashes.size).toBe(3);
  });

  test("is accepted once, however often it is asked for or gone on with", async () => {
    await using world = openWorld();
    await openAccount(world, 10);
    await acceptBulk(world, toAccept, context);
    expect(await acceptBulk(world, toAccept, context)).toBe("accepted");
    expect(await continueBulk(world, bulkId, contextOf("an obligation"))).toBe("accepted");
    expect(await rowsRequested(world)).toEqual(call.rows.map(() => ["DocumentRequested"]));
    expect(await balanceOf(world)).toBe(7);
  });
});

describe("a bulk call with too few credits for all of its rows", () => {
  test("is refused: nothing is spent, no document asked for, its rows are forgotten", async () => {
    await using world = openWorld();
    await openAccount(world, 2);
    expect(await acceptBulk(world, toAccept, context)).toBe("refused");
    expect(await typesOf(world, "bulk", bulkId)).toEqual(["BulkRequested", "BulkRefused", "BulkRowsForgotten"]);
    expect(await world.keys.find(bulkId)).toBeUndefined();
    expect(await rowsRequested(world)).toEqual([[], [], []]);
    expect(await balanceOf(world)).toBe(2);
  });

  test("stays refused when credits come later", async () => {
    await using world = openWorld();
    await openAccount(world, 0);
    await acceptBulk(world, toAccept, context);
    await openAccount(world, 10);
    expect(await continueBulk(world, bulkId, contextOf("an obligation"))).toBe("refused");
    expect(await balanceOf(world)).toBe(10);
  });
});

/** Stores whose writer is gone at the append of that number: before it is made, or after. */
const cutAt = (world: World, number: number, moment: "before" | "after"): BulkStores => {
  const { store } = world.journal;
  let appends = 0;
  const append: EventStore["append"] = async (...request) => {
    appends += 1;
    if (appends > number || (appends === number && moment === "before")) throw new Error("cut");
    const appended = await store.append(...request);
    if (appends === number) throw new Error("cut");
    return appended;
  };
  const cut = { append, readStream: (...request) => store.readStream(...request) } as Partial<EventStore> as EventStore;
  const handlers = createHandlers(new Journal(cut, world.keys, world.runtime), world.runtime);
  return { handlers, files: world.files, keys: world.keys, runtime: world.runtime };
};

describe.each(["before", "after"] as const)("a bulk call that is cut %s a write", (moment) => {
  // BulkRequested, CreditsSpent, three documents, BulkAccepted.
  test.each([2, 3, 4, 5, 6])(
    "goes on from number %i: every row is asked for, credits are spent once",
    async (number) => {
      await using world = openWorld();
      await openAccount(world, 10);
      await expect(acceptBulk(cutAt(world, number, moment), toAccept, context)).rejects.toThrow("cut");
      expect(await continueBulk(world, bulkId, contextOf("an obligation"))).toBe("accepted");
      expect(await rowsRequested(world)).toEqual(call.rows.map(() => ["DocumentRequested"]));
      expect(await typesOf(world, "bulk", bulkId)).toEqual(["BulkRequested", "BulkAccepted"]);
      expect(await balanceOf(world)).toBe(7);
    },
  );

  test("goes on where a row's document was erased meanwhile", async () => {
    await using world = openWorld();
    await openAccount(world, 10);
    await expect(acceptBulk(cutAt(world, 5, moment), toAccept, context)).rejects.toThrow("cut");
    const erased = bulkDocumentId(bulkId, 0);
    await eraseDocument({ ...world, customIdHmac: () => sample.sha256 }, erased, "requested", contextOf("erase"));
    expect(await continueBulk(world, bulkId, contextOf("an obligation"))).toBe("accepted");
    expect(await typesOf(world, "document", erased)).toEqual([
      "DocumentRequested",
      "DocumentWithdrawn",
      "DocumentErased",
    ]);
  });

  test.each([2, 3])("goes on from number %i of a refusal", async (number) => {
    await using world = openWorld();
    await openAccount(world, 1);
    await expect(acceptBulk(cutAt(world, number, moment), toAccept, context)).rejects.toThrow("cut");
    expect(await continueBulk(world, bulkId, contextOf("an obligation"))).toBe("refused");
    // Where it was cut after its refusal, the obligation to forget its rows is open.
    await forgetBulkRows(world, bulkId, contextOf("another obligation"));
    expect(await typesOf(world, "bulk", bulkId)).toEqual(["BulkRequested", "BulkRefused", "BulkRowsForgotten"]);
    expect(await world.keys.find(bulkId)).toBeUndefined();
    expect(await balanceOf(world)).toBe(1);
  });
});

test("a bulk call whose first write was cut never was", async () => {
  await using world = openWorld();
  await openAccount(world, 10);
  await expect(acceptBulk(cutAt(world, 1, "before"), toAccept, context)).rejects.toThrow("cut");
  await expect(continueBulk(world, bulkId, contextOf("an obligation"))).rejects.toMatchObject({ code: "unknown_bulk" });
  expect(await balanceOf(world)).toBe(10);
});
