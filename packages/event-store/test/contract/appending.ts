import { describe, expect, test } from "vitest";
import { AppendTooLargeError, ConflictError, type EventStore, MAX_APPEND_BYTES } from "../../src/index.ts";
import { anEvent, collect, freshStream, idsOf, someEvents } from "../helpers/events.ts";

const conflictOf = async (append: Promise<unknown>): Promise<ConflictError> => {
  const error = await append.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ConflictError) return error;
  throw new Error("the append did not conflict", { cause: error });
};

/** The half of the contract that is about writing. */
export const contractOfAppending = (store: () => EventStore): void => {
  describe("append", () => {
    test("starts a stream at revision 0 and goes on from there", async () => {
      const stream = freshStream();
      const first = await store().append(stream, "no_stream", someEvents(3));
      const second = await store().append(stream, 2n, someEvents(1));
      expect([first.revision, second.revision]).toEqual([2n, 3n]);
      expect(second.position.commit > first.position.commit).toBe(true);
      expect(await store().streamEnd(stream)).toEqual(second);
    });

    test("keeps an event as it was given", async () => {
      const stream = freshStream();
      const event = {
        ...anEvent({
          text: 'Łukasz "李" \n\u0000 😀',
          nothing: null,
          list: [1, -0.5, true, { deep: [] }],
          large: 2 ** 53,
        }),
        metadata: { hash: "ab", previous: null },
      };
      const { position } = await store().append(stream, "no_stream", [event]);
      expect(await collect(store().readStream(stream))).toEqual([{ ...event, stream, revision: 0n, position }]);
    });

    test.each([
      ["a new stream, where one is", 1, "no_stream"],
      ["an earlier revision", 2, 0n],
      ["a later revision", 2, 2n],
      ["a revision, where no stream is", 0, 0n],
    ] as const)("refuses an append that expects %s", async (_case, existing, expected) => {
      const stream = freshStream();
      const before = someEvents(existing);
      if (existing > 0) await store().append(stream, "no_stream", before);
      const conflict = await conflictOf(store().append(stream, expected, someEvents(2)));
      const actual = existing === 0 ? "no_stream" : BigInt(existing - 1);
      expect(conflict).toMatchObject({ stream, expected, actual });
      expect(idsOf(await collect(store().readStream(stream)))).toEqual(idsOf(before));
    });

    test("of those that race for one place, one wins and the others conflict", async () => {
      const stream = freshStream();
      const racing = Array.from({ length: 20 }, () => store().append(stream, "no_stream", someEvents(2)));
      const settled = await Promise.allSettled(racing);
      const lost = settled.filter((result) => result.status === "rejected").map(({ reason }) => reason);
      expect(lost).toHaveLength(19);
      expect(lost.every((reason) => reason instanceof ConflictError)).toBe(true);
      expect(await collect(store().readStream(stream))).toHaveLength(2);
    });

    test("one that conflicts fails alone, none of those beside it", async () => {
      const taken = freshStream();
      await store().append(taken, "no_stream", someEvents(1));
      const others = Array.from({ length: 10 }, () => freshStream());
      const beside = others.map((stream, index) => [
        store().append(stream, "no_stream", someEvents(1)),
        index % 3 === 0 ? conflictOf(store().append(taken, "no_stream", someEvents(1))) : undefined,
      ]);
      await Promise.all(beside.flat());
      for (const stream of others) expect(await store().streamEnd(stream)).toMatchObject({ revision: 0n });
    });
  });

  contractOfRepeating(store);
  contractOfSizes(store);
};

const contractOfRepeating = (store: () => EventStore): void => {
  describe("a repeated append", () => {
    test("answers as the first and changes nothing", async () => {
      const stream = freshStream();
      await store().append(stream, "no_stream", someEvents(1));
      const events = someEvents(3);
      const first = await store().append(stream, 0n, events);
      expect(await store().append(stream, 0n, events)).toEqual(first);
      expect(await collect(store().readStream(stream))).toHaveLength(4);
    });

    test("answers as the first when others have appended since", async () => {
      const stream = freshStream();
      const events = someEvents(2);
      const first = await store().append(stream, "no_stream", events);
      await store().append(stream, 1n, someEvents(5));
      expect(await store().append(stream, "no_stream", events)).toEqual(first);
      expect(await collect(store().readStream(stream))).toHaveLength(7);
    });

    test("at the same time as the first gets the same answer", async () => {
      const stream = freshStream();
      const events = someEvents(2);
      const answers = await Promise.all([1, 2, 3].map(() => store().append(stream, "no_stream", events)));
      expect(new Set(answers.map(({ position }) => position.commit)).size).toBe(1);
      expect(await collect(store().readStream(stream))).toHaveLength(2);
    });

    test("with other data is still the first: what was stored stays", async () => {
      const stream = freshStream();
      const event = anEvent({ amount: 1 });
      const first = await store().append(stream, "no_stream", [event]);
      expect(await store().append(stream, "no_stream", [{ ...event, data: { amount: 2 } }])).toEqual(first);
      expect(await store().readLast(stream)).toMatchObject({ data: { amount: 1 } });
    });

    test("with one event more, or another in place of one, conflicts", async () => {
      const stream = freshStream();
      const [one, two] = [anEvent(), anEvent()];
      await store().append(stream, "no_stream", [one, two]);
      await conflictOf(store().append(stream, "no_stream", [one, two, anEvent()]));
      await conflictOf(store().append(stream, "no_stream", [one, anEvent()]));
      await conflictOf(store().append(stream, "no_stream", [two, one]));
      await conflictOf(store().append(stream, 0n, [one, two]));
      expect(idsOf(await collect(store().readStream(stream)))).toEqual([one.id, two.id]);
    });
  });
};

const contractOfSizes = (store: () => EventStore): void => {
  describe("an append's size", () => {
    const filler = (bytes: number) => anEvent({ filler: "x".repeat(bytes) });

    test("may come near the limit", async () => {
      const stream = freshStream();
      const event = filler(MAX_APPEND_BYTES - 10_000);
      await store().append(stream, "no_stream", [event]);
      expect((await store().readLast(stream))?.data).toEqual(event.data);
    });

    test.each([
      ["one event", [MAX_APPEND_BYTES]],
      ["several events together", [600_000, 600_000]],
    ])("may not pass it with %s", async (_case, sizes) => {
      const stream = freshStream();
      await expect(store().append(stream, "no_stream", sizes.map(filler))).rejects.toThrow(AppendTooLargeError);
      expect(await store().streamEnd(stream)).toBeUndefined();
      await store().append(stream, "no_stream", someEvents(1));
    });

    test("counts bytes, not characters", async () => {
      const event = anEvent({ filler: "李".repeat(400_000) });
      await expect(store().append(freshStream(), "no_stream", [event])).rejects.toThrow(AppendTooLargeError);
    });
  });

  describe("what is no append", () => {
    test.each([
      ["no event", freshStream(), []],
      ["an id that is no UUID", freshStream(), [{ ...anEvent(), id: "1" }]],
      ["an event without a type", freshStream(), [{ ...anEvent(), type: "" }]],
      ["a stream without a name", "", [anEvent()]],
      ["a system stream", "$all", [anEvent()]],
      ["a name that is no text", "half-\ud83d", [anEvent()]],
      ["a bigint in its data", freshStream(), [anEvent({ amount: 1n as unknown as number })]],
    ])("is refused: %s", async (_case, stream, events) => {
      await expect(store().append(stream, "no_stream", events)).rejects.toThrow(TypeError);
    });

    test("is refused: a negative revision", async () => {
      await expect(store().append(freshStream(), -1n, [anEvent()])).rejects.toThrow(TypeError);
    });
  });
};
