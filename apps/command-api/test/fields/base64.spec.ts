import { seededRandom } from "@rubrica/runtime/testing";
import { expect, test } from "vitest";
import { decodeBase64 } from "../../src/fields/base64.ts";

const STRICT = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const isTaken = (text: string): boolean => "bytes" in decodeBase64(text, Number.POSITIVE_INFINITY);

/** Texts that a pattern and the decoder see differently. */
const disagreements = (texts: Iterable<string>): string[] =>
  [...texts].filter((text) => text.length > 0 && isTaken(text) !== STRICT.test(text));

// Short and long ones are decoded by other code.
test.each([3, 4, 5, 48, 100])(
  "no character but Base64's own is taken, in the place of any other of %i bytes",
  (sizeBytes) => {
    const text = seededRandom(1).bytes(sizeBytes).toString("base64");
    const changed = Array.from({ length: 65_536 }, (_, code) => {
      const at = code % text.length;
      return text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
    });
    expect(disagreements(changed)).toEqual([]);
  },
);

test("padding is taken at the end only, and only as much as is due", () => {
  const signs = ["A", "w", "="];
  let texts = [""];
  for (let length = 1; length <= 8; length++) texts = texts.flatMap((text) => signs.map((sign) => text + sign));
  expect(disagreements(texts)).toEqual([]);
  expect(disagreements(texts.map((text) => text.slice(0, 4)))).toEqual([]);
});

test("the bytes are those that were encoded, and too many are refused before they are decoded", () => {
  const bytes = seededRandom(2).bytes(1_000);
  const text = bytes.toString("base64");
  expect(decodeBase64(text, 1_000)).toEqual({ bytes });
  expect(decodeBase64(text, 999)).toEqual({ fault: "too_large" });
});
