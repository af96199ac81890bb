import { eventually } from "@rubrica/test-kit";
import { type EventStoreDbCluster, startEventStoreDbCluster } from "@rubrica/test-kit/engines";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventStore } from "../../../src/index.ts";
import { eventStoreContract } from "../../contract.ts";
import { anEvent, collect, freshCategory, freshStream, idsOf, someEvents } from "../../helpers/events.ts";
import { openEventStoreDbAt } from "../../helpers/eventstoredb.ts";

let cluster: EventStoreDbCluster;
beforeAll(async () => {
  cluster = await startEventStoreDbCluster();
});
afterAll(() => cluster[Symbol.asyncDispose]());

/**
 * The leader goes: killed, or made to stand still; `work` is done once another one leads. It comes back in any case: two
 * that are away are too many for what follows.
 */
const withoutLeader = async (how: "kill" | "silence", work = async (): Promise<void> => {}): Promise<void> => {
  const former = await cluster.leader();
  await former[how]();
  try {
    await eventually("another one leads", async () => (await cluster.leader()) !== former);
    await work();
  } finally {
    if (how === "kill") await former.start();
    else former.signal("SIGCONT");
  }
};

/** How long a call may take: members elect, and copy thousands of events to each other, on a machine that does much else. */
const PATIENCE_MS = 60_000;

const opened = async <T>(work: (store: EventStore) => Promise<T>, url = cluster.url): Promise<T> => {
  const store = openEventStoreDbAt(url, { limitMs: PATIENCE_MS });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};

describe.each(["kill", "silence"] as const)("no call fails while another leader is found (%s)", (how) => {
  test("appends and reads go on, none lost, none doubled, and a subscriber has each once", () =>
    opened(async (store) => {
      const streamPrefix = freshCategory();
      const abort = new AbortController();
      const followed: string[] = [];
      const following = (async () => {
        for await (const { events } of store.subscribeToAll({ streamPrefix, signal: abort.signal }))
          followed.push(...idsOf(events));
      })();
      let isOver = false;
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        const stream = `${streamPrefix}${writer}`;
        const ids: string[] = [];
        for (; !isOver || ids.length < 20; ) {
          const event = anEvent();
          await store.append(stream, ids.length === 0 ? "no_stream" : BigInt(ids.length - 1), [event]);
          ids.push(event.id);
          expect((await store.readLast(stream))?.id).toBe(event.id);
        }
        return { stream, ids };
      });
      await withoutLeader(how);
      isOver = true;
      const written = await Promise.all(writers);
      for (const { stream, ids } of written) expect(idsOf(await collect(store.readStream(stream)))).toEqual(ids);
      const all = idsOf(await collect(store.readAll(undefined, { streamPrefix })));
      await eventually("the subscriber has all", () => followed.length >= all.length);
      abort.abort();
      await following;
      expect(followed).toEqual(all);
      expect(all.toSorted()).toEqual(written.flatMap(({ ids }) => ids).toSorted());
    }));
});

test("a subscription goes where the store's other calls find the leader, long before its connection is given up", async () => {
  // Nothing else would end what waits within the time that a test has.
  await opened(async (store) => {
    const streamPrefix = freshCategory();
    const [before, after] = [anEvent(), anEvent()];
    await store.append(`${streamPrefix}a`, "no_stream", [before]);
    const followed: string[] = [];
    const abort = new AbortController();
    const following = (async () => {
      for await (const { events } of store.subscribeToAll({ streamPrefix, signal: abort.signal }))
        followed.push(...idsOf(events));
    })();
    await eventually("the subscriber has the first", () => followed.length === 1);
    await withoutLeader("silence", async () => {
      await store.append(`${streamPrefix}a`, 0n, [after]);
      await eventually("the subscriber has the second", () => followed.length === 2);
    });
    abort.abort();
    await following;
    expect(followed).toEqual(idsOf([before, after]));
  }, `${cluster.url}&keepAliveInterval=600000`);
});

test("a store that knows one member alone goes where that one says that the leader is", async () => {
  const leader = await cluster.leader();
  const other = cluster.members.find((member) => member !== leader);
  await opened(async (store) => {
    const stream = freshStream();
    await store.append(stream, "no_stream", someEvents(1));
    await withoutLeader("kill", async () => {
      await store.append(stream, 0n, someEvents(1));
    });
    expect(await store.streamEnd(stream)).toMatchObject({ revision: 1n });
  }, other?.url);
});

test("what the others lack is dropped by the member that comes back with it, which ends with exit code 0", () =>
  opened(async (store) => {
    const stream = freshStream();
    await store.append(stream, "no_stream", someEvents(1));
    const leader = await cluster.leader();
    const others = cluster.members.filter((member) => member !== leader);
    const before = leader.drops();
    // Alone it writes, and confirms to nobody.
    await Promise.all(others.map((member) => member.silence()));
    const alone = openEventStoreDbAt(leader.url, { limitMs: 1_000 });
    try {
      await expect(alone.append(stream, 0n, someEvents(3))).rejects.toMatchObject({ failure: "unreachable" });
      await alone.close();
    } finally {
      await leader.kill();
      for (const member of others) member.signal("SIGCONT");
    }
    const event = anEvent();
    try {
      expect(await store.append(stream, 0n, [event])).toMatchObject({ revision: 1n });
    } finally {
      await leader.start();
    }
    await eventually("it has ended and was started again", () => leader.drops() > before);
    expect(await store.readLast(stream)).toMatchObject({ id: event.id, revision: 1n });
    expect((await store.append(stream, 1n, someEvents(1))).revision).toBe(2n);
  }));

/** So many stories are told while one leader leads, the last of them while it goes. */
const STORIES_OF_A_LEADER = 12;

describe("through changes of leader", () => {
  let stories = 0;
  let changing: Promise<unknown> = Promise.resolve();
  afterAll(() => changing);
  const change = () => withoutLeader(stories % (2 * STORIES_OF_A_LEADER) === 0 ? "silence" : "kill");
  eventStoreContract(
    "EventStoreDB, against a cluster of its doubles",
    async (streamPrefixes = []) => {
      stories += 1;
      if (stories % STORIES_OF_A_LEADER === 0) changing = changing.then(change);
      let store = openEventStoreDbAt(cluster.url, { streamPrefixes, limitMs: PATIENCE_MS });
      return {
        store,
        reopen: async () => {
          await store.close();
          store = openEventStoreDbAt(cluster.url, { streamPrefixes, limitMs: PATIENCE_MS });
          return store;
        },
        dispose: () => store.close(),
      };
    },
    { canBeDamaged: false },
  );
});
