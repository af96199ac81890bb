import { acceptLoss, commitHead, requestDocument } from "@rubrica/domain";
import { appendLeaf, type CommittedHead, HEADS_ID, headText, leafOf, MerkleTree, type TreeHead } from "@rubrica/events";
import { contextOf, documentIds, openWorld, requestOf } from "@rubrica/test-kit/commands";
import { expect, test, vi } from "vitest";
import { commitLogHead, HeadContradicted, type HeadDependencies } from "../src/index.ts";

const sign: HeadDependencies["sign"] = async () => ({
  signature: "MAA=",
  certificateSha256: "4f".repeat(32),
  timestampedAt: null,
});

type World = ReturnType<typeof openWorld>;

const request = ({ handlers }: World, documentId: string) =>
  handlers.documents.handle(documentId, requestDocument, requestOf(documentId), contextOf(`request-${documentId}`));

const isSigned: HeadDependencies["isSigned"] = ({ signature }) => signature === "MAA=";

const commit = ({ handlers, runtime, keys, journal: { store: events } }: World, more: Partial<HeadDependencies> = {}) =>
  commitLogHead(
    { events, handlers, runtime, sign, isSigned, known: keys.log, isAuthenticated: () => false, ...more },
    contextOf("head"),
  );

/** The tree over the first events of the log. */
const treeOver = async ({ journal }: World, size: number): Promise<TreeHead> => {
  const tree = new MerkleTree();
  for await (const event of journal.store.readAll()) if (tree.size < size) appendLeaf(tree, leafOf(event));
  return { size: tree.size, root: tree.root() };
};

test("a head is over the whole log, and each goes on from the one before", async () => {
  await using world = openWorld();
  await request(world, documentIds.first);
  const first = await commit(world);
  expect(first).toMatchObject({ ...(await treeOver(world, 1)), previous: null, wentOn: false });
  await request(world, documentIds.second);
  const second = await commit(world);
  const { size, root } = first ?? {};
  // The first head is an event of the log itself.
  expect(second).toMatchObject({ ...(await treeOver(world, 3)), previous: { size, root } });
});

test("an empty log has none", async () => {
  await using world = openWorld();
  expect(await commit(world)).toBeNull();
  expect(await world.eventsOf("heads", HEADS_ID)).toEqual([]);
});

test("it is over what was there when it was begun", async () => {
  await using world = openWorld();
  await request(world, documentIds.first);
  const slow: HeadDependencies["sign"] = async (statement) => {
    await request(world, documentIds.second);
    return sign(statement);
  };
  expect(await commit(world, { sign: slow })).toMatchObject({ size: 1, wentOn: true });
});

test("of two at once one is committed, and both give it", async () => {
  await using world = openWorld();
  await request(world, documentIds.first);
  const [one, other] = await Promise.all([commit(world), commit(world)]);
  expect(one).toEqual(other);
  expect(await world.eventsOf("heads", HEADS_ID)).toHaveLength(1);
});

test("cut before it is appended, it is committed the next time", async () => {
  await using world = openWorld();
  await request(world, documentIds.first);
  const cut = commit(world, { sign: async () => Promise.reject(new Error("cut")) });
  await expect(cut).rejects.toThrow("cut");
  expect(await commit(world)).toMatchObject({ size: 1 });
});

test("none goes on from one whose last event is not in the log any more", async () => {
  await using world = openWorld();
  await request(world, documentIds.first);
  await commit(world);
  const { store } = world.journal;
  const gone: HeadDependencies["events"] = {
    lastPosition: () => store.lastPosition(),
    readHashes: (...after) => store.readHashes(...after),
    readStream: async function* () {},
  };
  await expect(commit(world, { events: gone })).rejects.toThrow(HeadContradicted);
  const changed: HeadDependencies["events"] = {
    ...gone,
    async *readStream(...of) {
      for await (const event of store.readStream(...of))
        yield { ...event, metadata: { ...event.metadata, hash: "00".repeat(32) } };
    },
  };
  await expect(commit(world, { events: changed })).rejects.toThrow(HeadContradicted);
});

/** A head in the log that nobody commits so, going on from this one. */
const write = async ({ handlers: { heads } }: World, head: CommittedHead) => {
  const { newest: seen } = await heads.load(HEADS_ID);
  await heads.handle(HEADS_ID, commitHead, { head, seen }, contextOf(`${head.signature} ${headText(head)}`));
};

test("none goes on from one whose tree is of other events than its root, or that is over others", async () => {
  await using world = openWorld();
  await request(world, documentIds.first);
  const head = await commit(world);
  if (!head) throw new Error("there is a head");
  await request(world, documentIds.second);
  const { handlers } = world;
  vi.spyOn(handlers.heads, "load").mockResolvedValueOnce({ newest: { ...head, frontier: ["cd".repeat(32)] } } as never);
  await expect(commit(world)).rejects.toThrow(HeadContradicted);
  const { size, root } = head;
  await write(world, { ...head, size: 2, root: "cd".repeat(32), previous: { size, root } });
  await expect(commit(world)).rejects.toThrow(HeadContradicted);
  expect(await world.keys.log.head()).toBe(`1:${root}`);
});

test.each([2, 900])("what somebody wrote as a head over %i events stops none", async (size) => {
  await using world = openWorld();
  await request(world, documentIds.first);
  const head = await commit(world);
  if (!head) throw new Error("there is a head");
  const previous = { size: head.size, root: head.root };
  const forged = { ...head, size, root: "cd".repeat(32), previous, signature: "AAAA" };
  await write(world, forged);
  await request(world, documentIds.second);
  expect(await commit(world)).toMatchObject({ ...(await treeOver(world, 4)), previous });
  await write(world, { ...forged, size: 1_000 });
  expect(await commit(world)).toMatchObject({ size: 6, previous: { size: 4 } });
});

test("nor where none is known beside the keys", async () => {
  await using world = openWorld();
  await request(world, documentIds.first);
  const first = await commit(world);
  if (!first) throw new Error("there is a head");
  await write(world, { ...first, size: 900, signature: "AAAA" });
  await world.keys.log.remove([]);
  expect(await commit(world)).toMatchObject({ size: 3, previous: { size: 1, root: first.root } });
});

test("what came since is read, and no more", async () => {
  await using world = openWorld();
  await request(world, documentIds.first);
  await commit(world);
  const { position } = (await world.journal.store.readLast(`document-${documentIds.first}`)) ?? {};
  await request(world, documentIds.second);
  const readHashes = vi.spyOn(world.journal.store, "readHashes");
  await commit(world);
  expect(readHashes.mock.calls).toEqual([[position]]);
});

test("it is noted beside the keys, with where each document's stream ended", async () => {
  await using world = openWorld();
  const { keys } = world;
  await request(world, documentIds.first);
  const first = await commit(world);
  expect(await keys.log.head()).toBe(`1:${first?.root}`);
  const stream = `document-${documentIds.first}`;
  const [requested] = await world.eventsOf("document", documentIds.first);
  expect(await keys.log.end(stream)).toEqual({ stream, revision: 0n, hash: requested?.metadata.hash });
  await request(world, documentIds.second);
  const second = await commit(world);
  expect(await keys.log.head()).toBe(`3:${second?.root}`);
  const known = [];
  for await (const end of keys.log.ends()) known.push(end.stream);
  // Of the heads' own stream nothing is done outside.
  expect(known.sort()).toEqual([stream, `document-${documentIds.second}`].sort());
});

test("where streams ended by the first head is noted of it alone, also where that was cut", async () => {
  await using world = openWorld();
  const { log } = world.keys;
  const ends = async () => {
    const known = [];
    for await (const { stream, revision } of log.first.ends()) known.push([stream, revision]);
    return known.sort();
  };
  await request(world, documentIds.first);
  const cut = { ...log.first, note: async () => Promise.reject(new Error("cut")) };
  await expect(commit(world, { known: { ...log, first: cut } })).rejects.toThrow("cut");
  // A head was committed: the next one is to note what it would have.
  const head = await commit(world);
  expect(await log.first.head()).toBe(`2:${head?.root}`);
  const first = [[`document-${documentIds.first}`, 0n]];
  expect(await ends()).toEqual(first);
  await request(world, documentIds.second);
  await commit(world);
  expect(await ends()).toEqual(first);
  expect(await log.end(`document-${documentIds.second}`)).toBeDefined();
});

test("where all streams ended once all events are authenticated is noted, once", async () => {
  await using world = openWorld();
  const { former } = world.keys.log;
  const ends = async () => {
    const known = [];
    for await (const { stream, revision } of former.ends()) known.push([stream, revision]);
    return known.sort();
  };
  await request(world, documentIds.first);
  await commit(world);
  expect([await former.head(), await ends()]).toEqual([undefined, []]);
  await request(world, documentIds.second);
  const head = await commit(world, { isAuthenticated: () => true });
  expect(await former.head()).toBe(`3:${head?.root}`);
  const all = [
    [`document-${documentIds.first}`, 0n],
    [`document-${documentIds.second}`, 0n],
    ["heads-log", 0n],
  ];
  expect(await ends()).toEqual(all.sort());
  expect(await commit(world, { isAuthenticated: () => true })).toMatchObject({ size: 4 });
  expect(await former.head()).toBe(`3:${head?.root}`);
});

test("none is committed where the log is read whole and does not hold what the newest is over", async () => {
  await using world = openWorld();
  const { log } = world.keys;
  await request(world, documentIds.first);
  await request(world, documentIds.second);
  const unknown = { ...log.first, note: async () => {}, head: async () => undefined };
  await commit(world, { known: { ...log, first: unknown } });
  const { store } = world.journal;
  const events: HeadDependencies["events"] = {
    lastPosition: () => store.lastPosition(),
    readStream: (...of) => store.readStream(...of),
    async *readHashes(...after) {
      for await (const [one, ...rest] of store.readHashes(...after))
        if (one) yield [{ ...one, hash: "00".repeat(32) }, ...rest];
    },
  };
  await expect(commit(world, { events, known: { ...log, first: unknown } })).rejects.toThrow(HeadContradicted);
});

test("a log without the head that is known beside the keys gets none, and nothing that is known is written over", async () => {
  await using world = openWorld();
  const { keys } = world;
  await request(world, documentIds.first);
  await commit(world);
  const kept = await keys.log.head();
  const stream = `document-${documentIds.first}`;
  const end = await keys.log.end(stream);
  await using other = openWorld();
  await request(other, documentIds.second);
  await request(other, documentIds.first);
  await expect(commit(other, { known: keys.log })).rejects.toThrow(HeadContradicted);
  expect(await other.eventsOf("heads", HEADS_ID)).toEqual([]);
  expect([await keys.log.head(), await keys.log.end(stream)]).toEqual([kept, end]);
});

test("a loss that is written into the log alone ends nothing: the next head goes on from what is known", async () => {
  await using world = openWorld();
  await request(world, documentIds.first);
  await commit(world);
  await world.handlers.heads.handle(HEADS_ID, acceptLoss, { head: null, streams: 0 }, contextOf("loss"));
  const readHashes = vi.spyOn(world.journal.store, "readHashes");
  expect(await commit(world)).toMatchObject({ size: 3, previous: null });
  expect(readHashes).toHaveBeenCalledExactlyOnceWith(expect.anything());
  expect(await world.keys.log.head()).toMatch(/^3:/);
});

test("nor does it let a log that lacks the head that is known go on", async () => {
  await using world = openWorld();
  await request(world, documentIds.first);
  await commit(world);
  const kept = await world.keys.log.head();
  await using other = openWorld();
  await request(other, documentIds.first);
  await other.handlers.heads.handle(HEADS_ID, acceptLoss, { head: null, streams: 0 }, contextOf("loss"));
  await expect(commit(other, { known: world.keys.log })).rejects.toThrow(HeadContradicted);
  expect(await world.keys.log.head()).toBe(kept);
  await world.keys.log.remove([]);
  expect(await commit(other, { known: world.keys.log })).toMatchObject({ size: 2, previous: null });
});

test("a head that was not noted is gone on from", async () => {
  await using world = openWorld();
  const { log } = world.keys;
  await request(world, documentIds.first);
  await commit(world);
  await request(world, documentIds.second);
  await commit(world, { known: { ...log, note: async () => {} } });
  expect(await commit(world)).toMatchObject({ size: 4 });
  expect(await log.head()).toMatch(/^4:/);
});

test("where a stream is known to have ended stays known when it does not hold that and went on otherwise", async () => {
  await using world = openWorld();
  const { log } = world.keys;
  await request(world, documentIds.first);
  const head = await commit(world);
  const cut = { stream: `document-${documentIds.first}`, revision: 3n, hash: "9f".repeat(32) };
  await log.note(`${head?.size}:${head?.root}`, [cut]);
  const { store } = world.journal;
  const events: HeadDependencies["events"] = {
    lastPosition: () => store.lastPosition(),
    readStream: (...of) => store.readStream(...of),
    async *readHashes(...after) {
      yield* store.readHashes(...after);
      const position = await store.lastPosition();
      if (position) yield [{ position, stream: cut.stream, revision: 1n, hash: "00".repeat(32) }];
    },
  };
  await commit(world, { events });
  expect(await log.end(cut.stream)).toEqual(cut);
});
