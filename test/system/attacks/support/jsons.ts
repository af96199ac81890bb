/** One value of JSON, as text, with about so many parts. */
export type JsonShape = (size: number) => string;

const joined = (size: number, part: (index: number) => string): string =>
  Array.from({ length: size }, (_, index) => part(index)).join(",");

/** Values that are cheap to write and may be dear to read, to keep or to look through. */
export const jsonShapes: Readonly<Record<string, JsonShape>> = {
  "empty objects": (size) => `[${joined(size, () => "{}")}]`,
  "empty arrays": (size) => `[${joined(size, () => "[]")}]`,
  numbers: (size) => `[${joined(size, () => "0")}]`,
  "numbers of many digits": (size) => `[${"1".repeat(size)},${"9".repeat(size)}e9]`,
  fractions: (size) => `[${joined(size, (index) => `${index}.1`)}]`,
  "keys, each another": (size) => `{${joined(size, (index) => `"${index.toString(36)}":0`)}}`,
  "keys that are numbers": (size) => `{${joined(size, (index) => `"${index * 7}":0`)}}`,
  "one key, again and again": (size) => `{${joined(size, () => '"a":0')}}`,
  "keys of the prototype": (size) => `{${joined(size, () => '"__proto__":{"a":0}')}}`,
  "objects, each of another shape": (size) => `[${joined(size, (index) => `{"${index.toString(36)}":0}`)}]`,
  "arrays in arrays": (size) => "[".repeat(size) + "]".repeat(size),
  "objects in objects": (size) => `${'{"a":'.repeat(size)}0${"}".repeat(size)}`,
  "arrays that never end": (size) => "[".repeat(size),
  "a text": (size) => `"${"a".repeat(size)}"`,
  "texts, each another": (size) => `[${joined(size, (index) => `"${index.toString(36)}"`)}]`,
  "escapes in a text": (size) => `"${"\\u0041".repeat(size)}"`,
  "a text of halves of characters": (size) => `"${"\\ud800".repeat(size)}"`,
  "a text of line ends": (size) => `"${"\\n".repeat(size)}"`,
  "a text of two bytes a character": (size) => `"${"\u00f1".repeat(size)}"`,
  "a text of four bytes a character": (size) => `"${"\u{1F600}".repeat(size)}"`,
  "a text that never ends": (size) => `"${"a".repeat(size)}`,
  "a text with something wrong at its end": (size) => `["${"a".repeat(size)}",]`,
  blanks: (size) => `${" ".repeat(size)}0`,
  "line ends": (size) => `${"\n".repeat(size)}0`,
  nulls: (size) => `[${joined(size, () => "null")}]`,
};
