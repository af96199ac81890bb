import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonBound, JsonBoundExceeded, type JsonBounds, NotUnicode, readJson } from "../src/index.ts";

const wide: JsonBounds = {
  values: 1_000,
  depth: 64,
  longText: "document",
  rows: { field: "df", count: 100, bytes: 100_000 },
};

const read = (text: string | Buffer, bounds: Partial<JsonBounds> = {}) =>
  readJson(Buffer.from(text as string), { ...wide, ...bounds });

/** What became of a text: its value, or that it is none. */
const outcomeOf = async (reading: () => unknown) => {
  try {
    return { value: await reading() };
  } catch (error) {
    if (error instanceof SyntaxError) return "no JSON";
    throw error;
  }
};

const exceeded = async (text: string, bounds: Partial<JsonBounds> = {}): Promise<[JsonBound, string]> => {
  const error = await read(text, bounds).catch((reason: unknown) => reason);
  if (!(error instanceof JsonBoundExceeded)) throw new Error(`not refused: ${error}`);
  return [error.bound, error.path];
};

const LONG = "QUJD".repeat(2_000);
const MB = 1_048_576;

describe("a text is read as JSON.parse reads it", () => {
  test.each([
    ["a long text", `{"document":"${LONG}","n":1}`],
    ["its name in escapes", `{"docu\\u006dent":"${LONG}","\\u0064f":[{"a":1}]}`],
    ["slashes in escapes", `{"document":"${"\\/ab".repeat(3_000)}"}`],
    ["escapes of every kind", `{"document":"${'\\n\\u0041\\\\\\"ñ李😀\\ud83d\\ude00'.repeat(900)}"}`],
    ["the long text twice", `{"document":"${LONG}","document":"${LONG}x"}`],
    ["another value after the long text", `{"document":"${LONG}","document":[1]}`],
    ["a short text after the long one", `{"document":"${LONG}","document":"x"}`],
    ["a long text in another place", `{"other":"${LONG}","a":{"document":"${LONG}"},"b":["document","${LONG}"]}`],
    ["a long text as a name", `{"${LONG}":1,"document":2}`],
    ["no object", `["document","${LONG}"]`],
    ["a list of rows", '{"df":[{"a":1} , {"b":[1,2]},3,"x,]",null]}'],
    ["no rows", '{"df":[ ]}'],
    ["rows twice", '{"df":[1,2],"df":[3]}'],
    ["another value after rows", '{"df":[1,2],"df":{"a":[1]}}'],
    ["rows in another place", '{"a":{"df":[1,2]},"b":[["df"]]}'],
    ["rows that are lists", '{"df":[[1,2],[[3]],[]]}'],
    ["blanks everywhere", ' {\n"df" : [ 1 ,\t[ ] ] , "document" : "x" }\r\n'],
    ["names of brackets", '{"[":"]","{":"}","\\"":","}'],
    ["a value alone", "7"],
    ["a text alone", `"${LONG}"`],
  ])("%s", async (_what, text) => {
    expect(await read(text)).toEqual(JSON.parse(text));
  });

  test.each([
    "",
    "{",
    "]",
    "{]",
    "[}",
    '{"a":1',
    '{"a":1}}',
    '{"a":1} x',
    '"a',
    `{"document":"${LONG}`,
    `{"document":"${LONG}"`,
    `{"document":"${LONG}" "${LONG}"}`,
    `{"document":"${LONG}\n"}`,
    `{"document":"${LONG}\\x"}`,
    `{"document":"${LONG}\\u12"}`,
    `{"document" "${LONG}"}`,
    `{"document":1 "${LONG}"}`,
    `{"document":"${LONG}"]`,
    '{"df":[,]}',
    '{"df":[1,]}',
    '{"df":[1 2]}',
    '{"df":[1}',
    '{"df":[{]}',
    '{"df":[1]]}',
    '{"df":[1][2]}',
    '{"df":1 [2]}',
    '{"df"[1]}',
    '{"df":[1],}',
    "NaN",
    "[01]",
  ])("%j is no JSON", async (text) => {
    expect(await outcomeOf(() => read(text))).toBe("no JSON");
    expect(await outcomeOf(() => JSON.parse(text))).toBe("no JSON");
  });

  test("so is whatever else there may be, whole and cut and with bytes changed", async () => {
    const signs = [
      '"',
      "\\",
      ",",
      ":",
      "[",
      "]",
      "{",
      "}",
      " ",
      "1",
      "document",
      "df",
      '"df":',
      '"document":',
      "\\u0064",
    ];
    const parts = fc.array(fc.oneof(fc.constantFrom(...signs, LONG), fc.json({ maxDepth: 3 })), { maxLength: 14 });
    const texts = fc.oneof(
      parts.map((some) => some.join("")),
      parts.map((some) => `{${some.join("")}}`),
      fc.record({ document: fc.constantFrom(LONG, "x"), df: fc.json(), more: fc.json() }).map((some) => {
        return `{"document":${JSON.stringify(some.document)},"df":[${some.df},${some.more}],"x":${some.more}}`;
      }),
    );
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(), async (whole, cut) => {
        const text = cut % 3 === 0 ? whole : whole.slice(0, (cut % whole.length) + 1);
        expect(await outcomeOf(() => read(text))).toEqual(await outcomeOf(() => JSON.parse(text)));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a long text is put together again", () => {
  // Of lengths that have no divisor in common with a piece's, so that pieces end in each place of a sign.
  test.each([
    ["escapes of six", "\\u00e9", "é"],
    ["pairs of escapes", "\\ud83d\\ude00", "😀"],
    ["backslashes", "\\\\", "\\"],
    ["escapes of two, after a letter", "a\\n\\/", "a\n/"],
    ["characters of three bytes", "李", "李"],
    ["characters of four bytes", "😀", "😀"],
    ["characters of four bytes after two escapes", "\\\\\\n😀", "\\\n😀"],
  ])("of %s", async (_what, written, meant) => {
    for (const shift of [0, 1, 2, 3, 4, 5, 6]) {
      const times = Math.ceil((2.5 * MB) / Buffer.byteLength(written));
      const text = `{"document":"${"x".repeat(shift)}${written.repeat(times)}"}`;
      const { document } = (await read(text)) as { document: string };
      expect(document === "x".repeat(shift) + meant.repeat(times)).toBe(true);
    }
  });
});

describe("bounds", () => {
  test.each<[string, JsonBound, string, string, Partial<JsonBounds>]>([
    ["values in a list", "values", "a", `{"a":[${"1,".repeat(1_000)}1]}`, {}],
    ["empty objects", "values", "a", `{"b":1,"a":[${"{},".repeat(1_000)}{}]}`, {}],
    ["names", "values", "a", `{"a":{${'"":1,'.repeat(1_000)}"":1}}`, {}],
    ["fields", "values", "x", `{${'"x":1,'.repeat(1_000)}"x":1}`, {}],
    ["lists in lists", "depth", "a", `{"a":${"[".repeat(64)}`, {}],
    ["lists in lists alone", "depth", "", "[".repeat(100_000), {}],
    ["lists in a row", "depth", "df[1]", `{"df":[1,${"[".repeat(64)}`, {}],
    ["another text", "bytes", "", `{"a":"${LONG}"}`, { bytes: 1_000 }],
    ["blanks", "bytes", "", `{"a":1${" ".repeat(1_000)}}`, { bytes: 1_000 }],
    ["rows", "rows", "df", `{"df":[${"1,".repeat(100)}1]}`, {}],
    ["a row", "row", "df[1]", `{"df":[1,{"a":"${"x".repeat(600_000)}"}]}`, {}],
    ["values of a row", "row", "df[2]", `{"df":[1,2,{${'"":1,'.repeat(21_000)}"":1}]}`, {}],
  ])("too many: %s", async (_what, bound, path, text, bounds) => {
    expect(await exceeded(text, bounds)).toEqual([bound, path]);
  });

  test("what is in strings, in rows or in the long text counts for nothing else", async () => {
    const row = `{"a":"${"[{,".repeat(2_000)}",${'"b":1,'.repeat(900)}"c":[[]]}`;
    const text = `{"document":"${"[,".repeat(5_000)}","df":[${Array.from({ length: 20 }, () => row).join()}]}`;
    expect(await read(text, { bytes: 100, values: 10 })).toEqual(JSON.parse(text));
  });

  test("a row may be written in escapes, and is not larger for it", async () => {
    const text = `{"df":["${"\\u00e9".repeat(50_000)}"]}`;
    expect(await read(text)).toEqual({ df: ["é".repeat(50_000)] });
  });
});

describe("a text that is no Unicode is refused", () => {
  test.each([
    ["a byte alone", Buffer.from([0x22, 0xff, 0x22]), ""],
    ["Latin-1", Buffer.from('{"a":"José"}', "latin1"), ""],
    ["a surrogate in UTF-8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), ""],
    ["half a character", Buffer.from('{"a":[1,{"b":"\\ud800"}]}'), "a[1].b"],
    ["the other half", Buffer.from('{"a":"\\uDFff"}'), "a"],
    ["both in the wrong order", Buffer.from('{"a":"\\ude00\\ud83d"}'), "a"],
    ["half a character in a name", Buffer.from('{"a":{"\\ud800":1}}'), "a"],
    ["half a character in a row", Buffer.from('{"df":[1,{"x":"\\ud800"}]}'), "df[1].x"],
    ["half a character in the long text", Buffer.from(`{"document":"${LONG}\\ud800"}`), "document"],
  ])("%s", async (_what, bytes, path) => {
    const error = await read(bytes).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NotUnicode);
    expect(error).toMatchObject({ path });
  });
});
