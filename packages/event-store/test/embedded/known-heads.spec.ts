import { expect, test, vi } from "vitest";
import { KnownHeads } from "../../src/embedded/known-heads.ts";

const head = { position: { commit: 7n, prepare: 7n }, revision: 2n };

test("a head is read once, until the stream's or all are forgotten", () => {
  const heads = new KnownHeads();
  const read = vi.fn(() => head);
  const reads = (stream: string): number => {
    expect(heads.of(stream, read)).toEqual(head);
    return read.mock.calls.length;
  };
  expect([reads("a-1"), reads("a-1"), reads("a-2")]).toEqual([1, 1, 2]);
  heads.forget("a-1");
  expect([reads("a-1"), reads("a-2")]).toEqual([3, 3]);
  heads.forgetAll();
  expect([reads("a-1"), reads("a-2")]).toEqual([4, 5]);
});

test("a stream that there is not is looked for each time", () => {
  const heads = new KnownHeads();
  const read = vi.fn(() => undefined);
  expect([heads.of("a-1", read), heads.of("a-1", read)]).toEqual([undefined, undefined]);
  expect(read).toHaveBeenCalledTimes(2);
});

test("however many streams are asked for, a bounded number is held", () => {
  const heads = new KnownHeads();
  const read = vi.fn(() => head);
  for (let n = 0; n < 20_001; n++) heads.of(`a-${n}`, read);
  heads.of("a-0", read);
  expect(read).toHaveBeenCalledTimes(20_002);
});
