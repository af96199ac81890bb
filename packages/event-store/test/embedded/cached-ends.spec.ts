import { expect, test, vi } from "vitest";
import { CachedEnds } from "../../src/embedded/cached-ends.ts";

const end = { position: { commit: 7n, prepare: 7n }, revision: 2n };

test("an end is read once, until the stream's or all are forgotten", () => {
  const ends = new CachedEnds();
  const read = vi.fn(() => end);
  const reads = (stream: string): number => {
    expect(ends.of(stream, read)).toEqual(end);
    return read.mock.calls.length;
  };
  expect([reads("a-1"), reads("a-1"), reads("a-2")]).toEqual([1, 1, 2]);
  ends.evict("a-1");
  expect([reads("a-1"), reads("a-2")]).toEqual([3, 3]);
  ends.evictAll();
  expect([reads("a-1"), reads("a-2")]).toEqual([4, 5]);
});

test("a stream that there is not is looked for each time", () => {
  const ends = new CachedEnds();
  const read = vi.fn(() => undefined);
  expect([ends.of("a-1", read), ends.of("a-1", read)]).toEqual([undefined, undefined]);
  expect(read).toHaveBeenCalledTimes(2);
});

test("however many streams are asked for, a bounded number is held", () => {
  const ends = new CachedEnds();
  const read = vi.fn(() => end);
  for (let n = 0; n < 20_001; n++) ends.of(`a-${n}`, read);
  ends.of("a-0", read);
  expect(read).toHaveBeenCalledTimes(20_002);
});
