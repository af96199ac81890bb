import { deflateSync, inflateSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { inflatedLength } from "../../src/coded/inflated-length.ts";

const plain = fc
  .tuple(fc.uint8Array({ maxLength: 600 }), fc.integer({ min: 1, max: 200 }))
  .map(([piece, times]) => Buffer.concat(Array.from({ length: times }, () => piece)));
const options = fc.record({
  level: fc.integer({ min: 0, max: 9 }),
  strategy: fc.integer({ min: 0, max: 4 }),
  memLevel: fc.integer({ min: 1, max: 9 }),
});

test("compressed data are as long as they are once they were inflated, however they were compressed", () => {
  fc.assert(
    fc.property(plain, options, (data, how) => {
      expect(inflatedLength(deflateSync(data, how), data.length + 1)).toBe(data.length);
    }),
  );
});

test("data that are cut are as long as what they hold, or shorter by a run that had begun", () => {
  fc.assert(
    fc.property(plain, options, fc.double({ min: 0, max: 1, noNaN: true }), (data, how, share) => {
      const whole = deflateSync(data, how);
      const cut = whole.subarray(0, 2 + Math.floor((whole.length - 2) * share));
      const held = inflateSync(cut, { finishFlush: 2 }).length;
      expect(Math.abs((inflatedLength(cut, data.length + 1) ?? -1) - held)).toBeLessThanOrEqual(258);
    }),
  );
});

test("rows begin with a rule: a byte that is none at such a place is found, and nowhere else", () => {
  fc.assert(
    fc.property(
      plain,
      options,
      fc.integer({ min: 1, max: 3_000 }),
      fc.boolean(),
      fc.nat(),
      (data, how, row, isBroken, at) => {
        const rows = Buffer.concat([data, data]).map((byte, index) => (index % row === 0 ? byte % 5 : byte));
        const count = Math.ceil(rows.length / row);
        if (isBroken && count > 0) rows[(at % count) * row] = 5 + (at % 250);
        const expected = isBroken && count > 0 ? undefined : rows.length;
        expect(inflatedLength(deflateSync(rows, how), rows.length + 1, row)).toBe(expected);
      },
    ),
  );
});

test("no more is counted than is asked", () => {
  expect(inflatedLength(deflateSync(Buffer.alloc(1_000_000)), 1_000)).toBe(1_000);
});

test.each([
  ["a kind of block that there is not", "07"],
  ["a stored block whose length is told in two ways", "010500000068656c6c6f"],
  ["codes that are too many for their lengths", "05ffffffffffffffffff"],
  ["a distance beyond what was there before", "4b04530000"],
])("%s is broken", (_, hex) => {
  expect(inflatedLength(Buffer.concat([Buffer.from("789c", "hex"), Buffer.from(hex, "hex")]), 1_000)).toBeUndefined();
});
