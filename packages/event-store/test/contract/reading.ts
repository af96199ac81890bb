import { describe, expect, test } from "vitest";
import { comparePositions, type EventStore, type JsonObject } from "../../src/index.ts";
import { anEvent, collect, freshCategory, freshStream, idsOf, someEvents } from "../helpers/events.ts";

/** The part of the contract that is about reading what there is. */
export const contractOfReading = (store: () => EventStore): void => {
  describe("a stream", () => {
    test("that does not exist has no events, no last one and no end", async () => {
      const stream = freshStream();
      expect(await collect(store().readStream(stream))).toEqual([]);
      expect(await store().readLast(stream)).toBeUndefined();
      expect(await store().streamEnd(stream)).toBeUndefined();
    });

    test("is read in order, whole or from a revision on", async () => {
      const stream = freshStream();
      const events = someEvents(5);
      await store().append(stream, "no_stream", events);
      const whole = await collect(store().readStream(stream));
      expect(idsOf(whole)).toEqual(idsOf(events));
      expect(whole.map(({ revision }) => revision)).toEqual([0n, 1n, 2n, 3n, 4n]);
      expect(await collect(store().readStream(stream, 3n))).toEqual(whole.slice(3));
      expect(await collect(store().readStream(stream, 5n))).toEqual([]);
    });

    test("longer than any one read is read whole", async () => {
      const stream = freshStream();
      for (let count = 0; count < 1500; count += 500) {
        await store().append(stream, count === 0 ? "no_stream" : BigInt(count - 1), someEvents(500));
      }
      const revisions = (await collect(store().readStream(stream))).map(({ revision }) => Number(revision));
      expect(revisions).toEqual(Array.from({ length: 1500 }, (_, index) => index));
    });

    test("has a last event and an end at its place", async () => {
      const stream = freshStream();
      const { revision, position } = await store().append(stream, "no_stream", someEvents(3));
      const whole = await collect(store().readStream(stream));
      expect(await store().readLast(stream)).toEqual(whole[2]);
      expect(await store().streamEnd(stream)).toEqual({ revision, position });
      expect(whole[2]?.position).toEqual(position);
    });

    test("doesn't hold events of one whose name merely starts alike", async () => {
      const stream = freshStream();
      const event = anEvent();
      await store().append(stream, "no_stream", [event]);
      await store().append(`${stream}0`, "no_stream", someEvents(2));
      expect(idsOf(await collect(store().readStream(stream)))).toEqual([event.id]);
    });

    test("may be left before its end", async () => {
      const stream = freshStream();
      await store().append(stream, "no_stream", someEvents(5));
      for await (const event of store().readStream(stream)) if (event.revision === 2n) break;
      expect(await collect(store().readStream(stream))).toHaveLength(5);
    });
  });

  contractOfReadingAll(store);
};

const contractOfReadingAll = (store: () => EventStore): void => {
  describe("all events", () => {
    /** Three streams of one kind, their events mixed. */
    const mixed = async () => {
      const streamPrefix = freshCategory();
      const before = await store().lastPosition();
      const expected: string[] = [];
      for (let round = 0; round < 4; round++) {
        for (const name of ["a", "b", "c"]) {
          const event = anEvent({ round });
          await store().append(`${streamPrefix}${name}`, round === 0 ? "no_stream" : BigInt(round - 1), [event]);
          expected.push(event.id);
        }
      }
      return { streamPrefix, before, expected };
    };

    test("come in the order in which they were appended, which is that of their positions", async () => {
      const { before, expected } = await mixed();
      const all = await collect(store().readAll(before));
      expect(idsOf(all).filter((id) => expected.includes(id))).toEqual(expected);
      expect(all).toEqual(all.toSorted((a, b) => comparePositions(a.position, b.position)));
    });

    test("are known by their places and hashes too, from a position on", async () => {
      const { before } = await mixed();
      const stream = freshStream();
      const hashed = (hash: unknown) => ({ ...anEvent(), metadata: { hash } as JsonObject });
      const odd = [hashed("9f"), hashed('"\n😀'), hashed(5), hashed(null), hashed({ hash: "9f" }), hashed(["9f"])];
      await store().append(stream, "no_stream", [...odd, { ...anEvent(), metadata: {} }]);
      await store().append(freshStream(), "no_stream", someEvents(700));
      const pages = await collect(store().readHashes(before));
      const all = await collect(store().readAll(before));
      expect(pages.flat()).toEqual(
        all.map(({ stream: name, revision, position, metadata: { hash } }) => ({
          stream: name,
          revision,
          position,
          hash: typeof hash === "string" ? hash : "",
        })),
      );
      expect(
        pages
          .flat()
          .filter((one) => one.stream === stream)
          .map(({ hash }) => hash),
      ).toEqual(["9f", '"\n😀', ...Array<string>(5).fill("")]);
      expect(await collect(store().readHashes(all.at(-1)?.position))).toEqual([]);
    });

    test("of streams whose name starts so are found, and no others", async () => {
      const { streamPrefix, expected } = await mixed();
      await store().append(freshStream(), "no_stream", someEvents(3));
      expect(idsOf(await collect(store().readAll(undefined, { streamPrefix })))).toEqual(expected);
      const ofOne = await collect(store().readAll(undefined, { streamPrefix: `${streamPrefix}b` }));
      expect(idsOf(ofOne)).toEqual(expected.filter((_, index) => index % 3 === 1));
      const byHalf = await collect(store().readAll(undefined, { streamPrefix: streamPrefix.slice(0, -1) }));
      expect(idsOf(byHalf)).toEqual(expected);
    });

    test("of one type are found, among however many others, from a position on", async () => {
      const stream = freshStream();
      const type = `Rare${stream.slice(-12)}`;
      const rare = () => ({ ...anEvent(), type });
      const first = rare();
      await store().append(stream, "no_stream", [...someEvents(2_500), first, ...someEvents(2_500)]);
      await store().append(stream, 5_000n, [rare(), ...someEvents(700)]);
      const found = await collect(store().readAll(undefined, { type }));
      expect(found.map((event) => [event.type, event.revision])).toEqual([
        [type, 2_500n],
        [type, 5_001n],
      ]);
      expect(await collect(store().readAll(found[0]?.position, { type }))).toEqual(found.slice(1));
      expect(await collect(store().readAll(undefined, { type: `${type}None` }))).toEqual([]);
    });

    test("after a position leave that one and all before it out", async () => {
      const { streamPrefix } = await mixed();
      const all = await collect(store().readAll(undefined, { streamPrefix }));
      for (const [index, { position }] of all.entries()) {
        expect(await collect(store().readAll(position, { streamPrefix }))).toEqual(all.slice(index + 1));
      }
    });

    test("end where the store ended when the reading began", async () => {
      const streamPrefix = freshCategory();
      const stream = `${streamPrefix}x`;
      await store().append(stream, "no_stream", someEvents(3));
      let read = 0;
      for await (const _ of store().readAll(undefined, { streamPrefix })) {
        await store().append(stream, 2n + BigInt(read), [anEvent()]);
        read += 1;
      }
      expect(read).toBe(3);
      expect(await collect(store().readStream(stream))).toHaveLength(6);
    });

    test("have a last position, at or after whatever was appended", async () => {
      const { position } = await store().append(freshStream(), "no_stream", someEvents(2));
      const last = await store().lastPosition();
      expect(last && comparePositions(last, position)).toBeGreaterThanOrEqual(0);
    });
  });
};
