import { requestDocument } from "@rubrica/domain";
import { formatPosition } from "@rubrica/event-store";
import { FileMissingError } from "@rubrica/storage";
import {
  contextOf,
  documentIds,
  documentToAccept,
  lineId,
  openWorld,
  requestOf,
  signerOfDocument,
  type World,
} from "@rubrica/test-kit/commands";
import { describe, expect, test } from "vitest";
import {
  acceptDocument,
  carryOutErasures,
  claimTurnById,
  createErasureWatch,
  type ErasureStores,
  eraseDocument,
  forgetDocument,
} from "../../src/index.ts";

const { first, second } = documentIds;
const bytes = Buffer.from("%PDF-1.7 about Ana Paz");
const sentBytes = Buffer.from("%PDF-1.7 about Ana Paz, as it was sent");

const storesOf = (world: World): ErasureStores => ({ ...world, customIdHmac: () => "ab".repeat(32) });

const accept = async (world: World, documentId: string) => {
  const document = documentToAccept(documentId, bytes, { pageCount: 1, sentBytes });
  const { document: accepted } = await acceptDocument(world, document, contextOf(documentId));
  if (accepted.status !== "pending" || !accepted.sentFile) throw new Error("it can be signed, and was changed");
  return [accepted.file.sha256, accepted.sentFile.sha256] as const;
};

const typesOf = async (world: World, documentId: string) =>
  (await world.eventsOf("document", documentId)).map(({ type }) => type);

const erased = ["DocumentWithdrawn", "DocumentErased"];
const nobodyElse = async () => undefined;

describe("erasing a document", () => {
  test("takes its key, its files and its phone's turn, and touches no other", async () => {
    await using world = openWorld();
    const [sha256, sentSha256] = await accept(world, first);
    await accept(world, second);
    await eraseDocument(storesOf(world), first, "requested", contextOf("erase"));
    expect((await typesOf(world, first)).slice(-2)).toEqual(erased);
    expect(await world.keys.find(first)).toBeUndefined();
    for (const each of [sha256, sentSha256])
      await expect(world.files.get(first, each)).rejects.toThrow(FileMissingError);
    expect(await world.files.get(second, sha256)).toEqual(bytes);
    expect(await world.files.get(second, sentSha256)).toEqual(sentBytes);
    const line = await world.handlers.lines.load((await world.keys.lines.find(lineId))?.line ?? "");
    expect(line.holder).toMatchObject({ documentId: second });
    for (const { personal } of await world.eventsOf("document", first)) expect(personal).toBeNull();
  });

  test("again does nothing more", async () => {
    await using world = openWorld();
    await accept(world, first);
    for (const command of ["a", "a", "b"]) await eraseDocument(storesOf(world), first, "requested", contextOf(command));
    expect((await typesOf(world, first)).filter((type) => erased.includes(type))).toEqual(erased);
  });

  test.each(["destroy", "removeAll"] as const)("that was cut at %s is finished by what is owed", async (cutAt) => {
    await using world = openWorld();
    await accept(world, first);
    const cut = { [cutAt]: () => Promise.reject(new Error("cut")) };
    const stores = storesOf(world);
    const cutting = {
      ...stores,
      keys: { ...stores.keys, destroy: world.keys.destroy.bind(world.keys), ...cut },
      files: { removeAll: world.files.removeAll, ...cut },
    };
    await expect(eraseDocument(cutting, first, "requested", contextOf("erase"))).rejects.toThrow("cut");
    expect((await typesOf(world, first)).at(-1)).toBe("DocumentErased");
    await forgetDocument(stores, first, nobodyElse, contextOf("forget"));
    expect((await typesOf(world, first)).at(-1)).toBe("DocumentForgotten");
    expect(await world.keys.find(first)).toBeUndefined();
  });

  test("is over once others have forgotten it too, which is not waited for before key and files go", async () => {
    await using world = openWorld();
    await accept(world, first);
    await eraseDocument(storesOf(world), first, "requested", contextOf("erase"));
    const failing = async () => {
      expect(await world.keys.find(first)).toBeUndefined();
      throw new Error("not to be had");
    };
    await expect(forgetDocument(storesOf(world), first, failing, contextOf("forget"))).rejects.toThrow("not to be had");
    expect((await typesOf(world, first)).at(-1)).toBe("DocumentErased");
    const asked: string[] = [];
    for (const command of ["again", "and again"]) {
      const ask = async ({ documentId }: { documentId: string }) => void asked.push(documentId);
      await forgetDocument(storesOf(world), first, ask, contextOf(command));
    }
    expect(asked).toEqual([first]);
    expect((await typesOf(world, first)).filter((type) => type === "DocumentForgotten")).toHaveLength(1);
  });

  test("destroys no key before the event that says so, and none of a document that is not erased", async () => {
    await using world = openWorld();
    await accept(world, first);
    await expect(forgetDocument(storesOf(world), first, nobodyElse, contextOf("forget"))).rejects.toThrow(
      "erased first",
    );
    expect(await world.keys.find(first)).toBeDefined();
  });
});

describe("carrying out erasures", () => {
  const logOf = (world: World) => ({ events: world.journal.store, keys: world.keys, files: world.files });
  /** Erased by a process that died before it destroyed the key. */
  const eraseOnly = async (world: World, documentId: string) => {
    const dying = {
      ...storesOf(world),
      keys: { lines: world.keys.lines, destroy: () => Promise.reject(new Error("died")) },
    };
    await eraseDocument(dying, documentId, "requested", contextOf(`erase-${documentId}`)).catch(() => undefined);
  };

  test("destroys the keys and removes the files of what the log says is erased", async () => {
    await using world = openWorld();
    const [sha256] = await accept(world, first);
    await accept(world, second);
    await eraseOnly(world, first);
    expect(await world.keys.find(first)).toBeDefined();
    await carryOutErasures(logOf(world));
    expect(await world.keys.find(first)).toBeUndefined();
    expect(await world.keys.find(second)).toBeDefined();
    expect(await world.files.get(second, sha256)).toEqual(bytes);
  });

  test("goes on from where the keys and the files each say it came to, and begins anew when the log is shorter", async () => {
    await using world = openWorld();
    await accept(world, first);
    await carryOutErasures(logOf(world));
    const last = await world.journal.store.lastPosition();
    expect(await world.keys.erasuresDone()).toBe(last && formatPosition(last));
    await eraseOnly(world, first);
    const destroyed: string[] = [];
    const note = (upTo: string | undefined) => ({
      destroy: async (owner: string) => void destroyed.push(owner),
      erasuresDone: async () => upTo,
      noteErasuresDone: async () => undefined,
    });
    const later = formatPosition({ commit: 1_000_000n, prepare: 1_000_000n });
    const now = await world.journal.store.lastPosition();
    for (const upTo of [undefined, await world.keys.erasuresDone(), "nonsense", later, now && formatPosition(now)]) {
      destroyed.length = 0;
      await carryOutErasures({ ...logOf(world), keys: note(upTo) });
      expect(destroyed, `noted: ${upTo}`).toEqual(upTo === (now && formatPosition(now)) ? [] : [first]);
    }
  });
});

describe("the watch", () => {
  /** Lets everything happen that needs no time. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const watching = async (world: World, events = world.journal.store) => {
    const told: (string | undefined)[] = [];
    const errors: unknown[] = [];
    const { clock } = world.runtime;
    const onError = (error: unknown) => void errors.push(error);
    const watch = createErasureWatch({ events, clock, after: await world.journal.store.lastPosition(), onError });
    watch.onErased((documentId) => told.push(documentId));
    const stopping = new AbortController();
    const running = watch.run(stopping.signal);
    await settled();
    return {
      watch,
      told,
      errors,
      async pass(ms: number) {
        clock.advance(ms);
        for (let turn = 0; turn < 20; turn++) await settled();
      },
      async [Symbol.asyncDispose]() {
        stopping.abort();
        clock.advance(10_000);
        await running;
      },
    };
  };

  test("tells within half a second what another erased, and nothing else", async () => {
    await using world = openWorld();
    await accept(world, first);
    await using made = await watching(world);
    await accept(world, second);
    await made.pass(500);
    expect(made.told).toEqual([]);
    await eraseDocument(storesOf(world), first, "requested", contextOf("erase"));
    await made.pass(500);
    expect(made.told).toEqual([first]);
    await made.pass(500);
    expect(made.told).toEqual([first]);
    expect(made.watch.isFresh()).toBe(true);
  });

  test("has all let go when it has not seen the log for a second, until it sees it again", async () => {
    await using world = openWorld();
    const { store } = world.journal;
    let lastPosition = () => store.lastPosition();
    const events = { lastPosition: () => lastPosition(), readAll: store.readAll.bind(store) } as typeof store;
    await using made = await watching(world, events);
    expect(made.watch.isFresh()).toBe(true);
    const hanging = Promise.withResolvers<undefined>();
    lastPosition = () => hanging.promise;
    await made.pass(500);
    await made.pass(1_100);
    expect(made.watch.isFresh()).toBe(false);
    await made.pass(200);
    expect(made.told).toEqual([undefined]);
    lastPosition = () => Promise.reject(new Error("gone"));
    hanging.resolve(undefined);
    await made.pass(500);
    await made.pass(500);
    expect(made.errors).toMatchObject([{ message: "gone" }]);
    lastPosition = () => store.lastPosition();
    await made.pass(500);
    await made.pass(500);
    expect(made.watch.isFresh()).toBe(true);
  });

  test("looks no more once nobody has asked for a minute, and again as soon as somebody does", async () => {
    await using world = openWorld();
    await accept(world, first);
    const { store } = world.journal;
    let looks = 0;
    const lastPosition = () => {
      looks += 1;
      return store.lastPosition();
    };
    const events = { lastPosition, readAll: store.readAll.bind(store) } as typeof store;
    await using made = await watching(world, events);
    for (let half = 0; half < 120; half += 1) await made.pass(500);
    expect(made.told).toEqual([]);
    await made.pass(500);
    expect(made.told).toEqual([undefined]);
    const before = looks;
    for (let half = 0; half < 10; half += 1) await made.pass(500);
    expect(looks).toBe(before);
    await eraseDocument(storesOf(world), first, "requested", contextOf("erase"));
    expect(made.watch.isFresh()).toBe(false);
    await made.pass(0);
    expect(looks).toBe(before + 1);
    expect(made.told).toEqual([undefined, first]);
    expect(made.watch.isFresh()).toBe(true);
  });
});

test("a process that let go of a document's state reads it anew", async () => {
  await using world = openWorld();
  const { handlers, journal } = world;
  await handlers.documents.handle(first, requestDocument, requestOf(first), contextOf("request"));
  await claimTurnById(handlers, first, signerOfDocument(first), contextOf("claim"));
  let whole = 0;
  const read = journal.read.bind(journal);
  journal.read = (...args) => {
    whole += 1;
    return read(...args);
  };
  await handlers.documents.load(first);
  expect(whole).toBe(0);
  handlers.documents.evict(first);
  await handlers.documents.load(first);
  expect(whole).toBe(1);
  handlers.documents.evict();
  await handlers.documents.load(first);
  expect(whole).toBe(2);
});
