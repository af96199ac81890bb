import { pdfWithFont, type1 } from "@rubrica/test-kit/pdf/font-programs";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const WORD = "eexec\n";
const program = type1();
const start = program.indexOf(WORD) + WORD.length;
const [clear, cipher] = [program.subarray(0, start).toString("latin1"), program.subarray(start)];
const withEnd = (end: string, text = clear, rest: Uint8Array = cipher) =>
  Buffer.concat([Buffer.from(text.replace(/\n$/, end), "latin1"), rest]);
const hex = cipher.toString("hex");

type Segment = readonly [kind: number, data: Uint8Array];
const segments = (...all: readonly Segment[]) =>
  Buffer.concat([
    ...all.flatMap(([kind, data]) => {
      const head = Buffer.from([0x80, kind, 0, 0, 0, 0]);
      head.writeUInt32LE(data.length, 2);
      return [head, data];
    }),
    Buffer.from([0x80, 3]),
  ]);
const text = Buffer.from(clear, "latin1");
const half = cipher.length >> 1;
/** With a comment so long that the word before the encrypted part begins at a place. */
const beginningAt = (place: number) =>
  clear.replace("11 dict", `%${"x".repeat(place - clear.indexOf(WORD) - 2)}\n11 dict`);

const use = { subtype: "Type1", entry: "FontFile", entries: "/Encoding/WinAnsiEncoding" };
/** A file that says how long the clear part is. */
const saying = (said: number, data: Buffer) => {
  const file = Buffer.from(pdfWithFont(data, use)).toString("latin1");
  const [lengths = ""] = /\/Length1 \d+\/Length2 \d+/.exec(file) ?? [];
  return Buffer.from(file.replace(lengths, `/Length1 ${said}`.padEnd(lengths.length)), "latin1");
};

test.each<[string, Uint8Array]>([
  ["a second one", pdfWithFont(Buffer.concat([program, Buffer.from(WORD), cipher]), use)],
  ["two line ends before it", pdfWithFont(withEnd("\n\n"), use)],
  ["its first byte within a line end, as the file says", saying(start, withEnd("\r\n"))],
  ["a line end between two pieces that pdf.js looks through", pdfWithFont(withEnd("\r\n", beginningAt(2042)), use)],
  ["its word in a comment", pdfWithFont(withEnd("\n", clear.replace("currentfile eexec", "% currentfile eexec")), use)],
  [
    "a line end within its first digits",
    pdfWithFont(withEnd("\n", clear, Buffer.from(`${hex.slice(0, 4)}\n${hex.slice(4)}`)), use),
  ],
  [
    "two segments of it",
    pdfWithFont(segments([1, text], [2, cipher.subarray(0, half)], [2, cipher.subarray(half)]), use),
  ],
  ["a segment of text for it", pdfWithFont(segments([1, text], [1, cipher]), use)],
  [
    "a segment of both parts",
    pdfWithFont(segments([1, text.subarray(0, 99)], [1, text.subarray(99)], [2, cipher]), use),
  ],
  ["a segment beyond its end", pdfWithFont(segments([1, text], [2, cipher]).subarray(0, -9), use)],
])("a program of Type 1 whose encrypted part has %s is refused: readers decrypt others", async (_, file) => {
  await expect(admit(file)).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each<[string, Uint8Array]>([
  ["behind two characters that end a line", saying(start + 1, withEnd("\r\n"))],
  ["behind these, of a length that is not told", pdfWithFont(withEnd("\r\n"), use)],
  ["behind these, elsewhere in a long text", pdfWithFont(withEnd("\r\n", beginningAt(2041)), use)],
  ["of a length that is told wrong", saying(start - 5, program)],
  ["in digits", pdfWithFont(withEnd("\n", clear, Buffer.from(hex.replace(/.{64}/g, "$&\n"))), use)],
  ["in segments", pdfWithFont(segments([1, text], [2, cipher], [1, Buffer.from("cleartomark")]), use)],
  [
    "in segments of which the last one is cut",
    pdfWithFont(segments([1, text], [2, cipher], [1, text]).subarray(0, -9), use),
  ],
])("a program of Type 1 stays whose encrypted part is %s", async (_, file) => {
  expect((await admit(file)).bytes).toBeNull();
});
