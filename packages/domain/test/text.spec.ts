import { describe, expect, test } from "vitest";
import { lineFault, textFault } from "../src/index.ts";

const UNSEEN = "must hold something that can be seen";
const TURNED = "must not hold characters that turn the direction of text";

const code = (...points: number[]) => String.fromCodePoint(...points);

describe("a text that people read", () => {
  test.each([
    ["Ana Paz"],
    ["李"],
    ["7"],
    ["👩‍👧"],
    ["می‌خواهم"],
    ["ශ්‍රී ලංකා"],
    ["עברית\u200f (בע״מ)"],
    ["é"],
    ["e\u0301"],
    ["❤️"],
    ["🏴󠁧󠁢󠁥󠁮󠁧󠁿"],
    ["Σ 100 %"],
  ])("may be %s", (text) => {
    expect([textFault(text), lineFault(text)]).toEqual([undefined, undefined]);
  });

  test.each([
    ["a space of no width", 0x200b],
    ["a joiner", 0x200d],
    ["a soft hyphen", 0xad],
    ["a mark of the byte order", 0xfeff, 0x200b],
    ["a Hangul filler", 0x3164],
    ["a Hangul filler of half width", 0xffa0],
    ["Hangul fillers of syllables", 0x115f, 0x1160],
    ["a Braille pattern of no dots", 0x2800],
    ["a variation selector", 0xfe0f],
    ["a variation selector of the supplement", 0xe0100],
    ["tags", 0xe0041, 0xe007f],
    ["a mark without its letter", 0x301],
    ["a joiner of graphemes", 0x34f],
    ["marks of direction", 0x200e, 0x20, 0x200f],
    ["a Mongolian separator", 0x180e],
    ["a musical symbol's beginning", 0x1d173],
    ["a character for private use", 0xe000],
  ])("is not made of nothing that can be seen: %s", (_what, ...points) => {
    const text = ` ${code(...(points as number[]))} `;
    expect([textFault(text), lineFault(text)]).toEqual([UNSEEN, UNSEEN]);
  });

  test.each([0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069])(
    "does not turn the direction of text: U+%x",
    (point) => {
      const text = `Ana${code(point)}zaP`;
      expect([textFault(text), lineFault(text)]).toEqual([TURNED, TURNED]);
    },
  );

  test("is not empty", () => {
    expect(["", " ", "\u00a0\n"].map(textFault)).toEqual(Array(3).fill("must not be empty"));
    expect(["", " ", "\u00a0\n"].map(lineFault)).toEqual(Array(3).fill("must not be empty"));
  });

  test("has lines where it may, and no control characters on a line", () => {
    for (const text of ["a\nb", "a\u0000", "a\u2028b", "a\u0085"]) {
      expect([textFault(text), lineFault(text)]).toEqual([undefined, "must not hold control characters"]);
    }
  });
});
