import canonicalize from "canonicalize";
import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalPieces, type JsonObject, jsonPieces } from "../src/index.ts";

const joined = (value: JsonObject): string => [...canonicalPieces(value)].join("");

test("the pieces are RFC 8785's canonical JSON", () => {
  const objects = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ stringUnit: "grapheme" }));
  fc.assert(
    fc.property(objects, (value) => {
      expect(joined(value as JsonObject)).toBe(canonicalize(value));
      expect([...jsonPieces(value as JsonObject)].join("")).toBe(JSON.stringify(value));
    }),
  );
});

test.each([
  ["nothing", {}],
  ["nothing that is said", { a: undefined }],
  ["fields that are not said beside one", { a: undefined, b: 1, c: undefined }],
  ["an empty list", { a: [] }],
  ["a long text of characters of two units", { a: `x${"😀".repeat(600_000)}` }],
  ["a long text of escapes", { a: "\n".repeat(600_000) }],
])("so they are of %s", (_what, value) => {
  expect(joined(value) === canonicalize(value)).toBe(true);
  expect([...jsonPieces(value)].join("") === JSON.stringify(value)).toBe(true);
});

test("a list may be anything that is gone through", () => {
  expect(joined({ a: new Set([1, "b"]) })).toBe('{"a":[1,"b"]}');
});

test("half a character can't be written", () => {
  for (const text of ["\ud800", "\udc00", `${"x".repeat(524_288)}\udc00`]) expect(() => joined({ a: text })).toThrow();
});
