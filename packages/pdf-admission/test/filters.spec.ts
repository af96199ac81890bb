import { Allowance } from "@rubrica/pdf-reading/allowance";
import { openDocument } from "@rubrica/pdf-reading/open";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { decodePDFRawStream, PDFContext, type PDFDict, PDFRawStream } from "pdf-lib";
import { describe, expect, test } from "vitest";
import { decodedContent } from "../src/filters.ts";

const { file } = await openDocument(pdf());
const dictOf = (filter: string): PDFDict => PDFContext.create().obj({ Filter: filter });
const decoded = (filter: string, data: Uint8Array): Buffer =>
  Buffer.from(decodedContent({ dict: dictOf(filter), data }, file, new Allowance(0, 10_000_000)));
/** By another implementation. */
const elsewhere = (filter: string, data: Uint8Array): Buffer =>
  Buffer.from(decodePDFRawStream(PDFRawStream.of(dictOf(filter), data)).decode());

/** Text that repeats itself, as contents do: tables fill, and are begun anew. */
const content = Buffer.from(
  Array.from({ length: 3_000 }, (_, line) => `${line % 97} ${(line * 31) % 1_009} m ${line} 0 l S\n`).join(""),
);

/** Codes as wide as a reader expects them after so many entries (ISO 32000-2, 7.4.4.2). */
const lzw = (bytes: Uint8Array): Buffer => {
  const out: number[] = [];
  let [held, bits, width] = [0, 0, 9];
  const put = (code: number): void => {
    held = (held << width) | code;
    bits += width;
    while (bits >= 8) {
      bits -= 8;
      out.push((held >> bits) & 255);
      held &= (1 << bits) - 1;
    }
  };
  let table = new Map<string, number>();
  let before = "";
  const codeOf = (text: string): number => (text.length === 1 ? text.charCodeAt(0) : (table.get(text) as number));
  put(256);
  for (const byte of bytes) {
    const longer = before + String.fromCharCode(byte);
    if (longer.length === 1 || table.has(longer)) {
      before = longer;
      continue;
    }
    put(codeOf(before));
    table.set(longer, 258 + table.size);
    before = longer.slice(-1);
    if (258 + table.size === 1 << width && width < 12) width += 1;
    if (table.size === 3_800) {
      put(256);
      [table, width] = [new Map(), 9];
    }
  }
  put(codeOf(before));
  put(257);
  out.push((held << (8 - bits)) & 255);
  return Buffer.from(out);
};

describe("a content is decompressed as another implementation does it", () => {
  test("LZW: the standard's example", () => {
    const example = Buffer.from("800b6050220c0c8501", "hex");
    expect(decoded("LZWDecode", example)).toEqual(Buffer.from([45, 45, 45, 45, 45, 65, 45, 45, 45, 66]));
  });

  test("LZW: codes of 9 to 12 bits, tables that are begun anew", () => {
    const data = lzw(content);
    expect(elsewhere("LZWDecode", data).equals(content)).toBe(true);
    expect(decoded("LZWDecode", data).equals(content)).toBe(true);
  });

  test("ASCII85: zeros, a last group that is shorter, line ends", () => {
    const data = Buffer.from("z9jqo^BlbD-BleB1DJ+*+F(f,q/\n0JhKF<GL>Cj@.4Gp$d7F!,L7@<6@)~>");
    expect(decoded("ASCII85Decode", data)).toEqual(elsewhere("ASCII85Decode", data));
  });

  test("runs of bytes", () => {
    const data = Buffer.from([2, 1, 2, 3, 254, 9, 0, 7, 129, 5, 128]);
    expect(decoded("RunLengthDecode", data)).toEqual(elsewhere("RunLengthDecode", data));
  });
});

describe("what is broken is refused", () => {
  test.each([
    ["LZWDecode", lzw(content).subarray(0, 2_000)],
    ["LZWDecode", Buffer.from("805fffffff", "hex")],
    ["ASCII85Decode", Buffer.from("9jqo^")],
    ["ASCII85Decode", Buffer.from("vvvvv~>")],
    ["ASCII85Decode", Buffer.from("9jqo\0^~>")],
    ["ASCII85Decode", Buffer.from("9jqo\f^~>")],
    ["ASCIIHexDecode", Buffer.from("61\x0062>")],
    ["RunLengthDecode", Buffer.from([2, 1, 2])],
    ["RunLengthDecode", Buffer.from([0, 7])],
    // Some readers go on after the mark that ends it.
    ["RunLengthDecode", Buffer.from([0, 7, 128, 0, 9, 128])],
  ])("%s", (filter, data) => expect(() => decoded(filter, data)).toThrow("broken"));
});

test("what is compressed more than four times is refused", () => {
  const times = (count: number): Buffer => {
    const filters = Array.from({ length: count }, () => "ASCIIHexDecode");
    const data = filters.reduce((left: Buffer) => Buffer.from(`${left.toString("hex")}>`), Buffer.from("q Q"));
    const dict = PDFContext.create().obj({ Filter: filters });
    return Buffer.from(decodedContent({ dict, data }, file, new Allowance(0, 10_000_000)));
  };
  expect(times(4).toString()).toBe("q Q");
  expect(() => times(5)).toThrow("compressed too often");
});
