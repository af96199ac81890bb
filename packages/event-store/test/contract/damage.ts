import { describe, expect, test } from "vitest";
import type { EventStore, RecordedEvent } from "../../src/index.ts";
import { anEvent, collect, followUntil, freshCategory, idsOf, someEvents, untilCaughtUp } from "../helpers/events.ts";

interface Damageable {
  store: EventStore;
  damage?: (stream: string, revision: bigint, part: "data" | "metadata") => Promise<void>;
}

/** The part of the contract that is about events that a disk has spoiled: they are given as damaged, never thrown. */
export const contractOfDamage = (opened: () => Damageable): void => {
  /** Five events of a stream, the one in the middle spoiled, and one of another stream. */
  const spoiled = async (part: "data" | "metadata") => {
    const { store, damage } = opened();
    if (!damage) throw new Error("the engine's events can't be damaged");
    const streamPrefix = freshCategory();
    const stream = `${streamPrefix}spoiled`;
    const [events, other] = [someEvents(5), anEvent()];
    await store.append(stream, "no_stream", events);
    await store.append(`${streamPrefix}other`, "no_stream", [other]);
    await damage(stream, 2n, part);
    return { store, stream, streamPrefix, ids: idsOf(events), all: [...idsOf(events), other.id] };
  };

  /** Whether all are there, and the spoiled one alone says so, keeping its place and what of it can be read. */
  const expectSpoiled = (found: readonly RecordedEvent[], ids: readonly string[], part: "data" | "metadata") => {
    expect(idsOf(found)).toEqual(ids);
    expect(found.map(({ damage }) => damage !== undefined)).toEqual(ids.map((_, index) => index === 2));
    const sound = found[1];
    expect(found[2]).toMatchObject({ [part]: {}, revision: 2n, type: sound?.type, stream: sound?.stream });
    const other = part === "data" ? "metadata" : "data";
    expect(Object.keys(found[2]?.[other] ?? {})).toEqual(Object.keys(sound?.[other] ?? {}));
  };

  describe.each(["data", "metadata"] as const)("an event whose %s was damaged", (part) => {
    test("keeps its place among its stream's", async () => {
      const { store, stream, ids } = await spoiled(part);
      expectSpoiled(await collect(store.readStream(stream)), ids, part);
      expect(await store.append(stream, 4n, [anEvent()])).toMatchObject({ revision: 5n });
    });

    test("keeps its place among all, and holds up no subscription", async () => {
      const { store, streamPrefix, all } = await spoiled(part);
      expectSpoiled(await collect(store.readAll(undefined, { streamPrefix })), all, part);
      expectSpoiled((await followUntil(store, { streamPrefix }, untilCaughtUp)).events, all, part);
    });

    test("is given as a stream's last one too", async () => {
      const { store, stream } = await spoiled(part);
      await opened().damage?.(stream, 4n, part);
      expect(await store.readLast(stream)).toMatchObject({ revision: 4n, [part]: {}, damage: expect.any(String) });
      expect(await store.streamEnd(stream)).toMatchObject({ revision: 4n });
    });
  });
};
