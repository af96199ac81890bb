import { seededRandom } from "@rubrica/runtime/testing";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { firstFurtherObject, pdf, stampOf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { expect, test } from "vitest";
import { PdfRefused } from "../../src/index.ts";

const { engine, identity } = await openedEngine();
const MUTANTS = 100;
/** Words that structures hang on, and what is put in their places. */
const words =
  "/Length /Kids /Type obj stream endstream /Contents /Resources /Annots /W /Prev /Root /Pages /Fields /MediaBox";
const replacements = [
  "/Kids",
  "[[[",
  "<<",
  ">>",
  "null",
  "-1",
  "99999999999",
  "0 0 R",
  "4 0 R",
  "(",
  "true",
  " ",
  "[]",
];

const random = seededRandom(6);
const below = (limit: number): number => random.bytes(4).readUInt32BE() % Math.max(1, limit);
const oneOf = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;

/** A file with one to four of its bytes, parts or words changed. */
const mutant = (originals: readonly Uint8Array[]): Buffer => {
  let bytes: Buffer = Buffer.from(oneOf(originals));
  const change = oneOf([flipped, cut, spliced, renumbered, reworded]);
  for (let times = 1 + below(4); times > 0; times -= 1) bytes = change(bytes, originals);
  return bytes;
};

const flipped = (bytes: Buffer): Buffer => {
  const at = below(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8));
  return bytes;
};

const cut = (bytes: Buffer): Buffer => {
  const at = below(bytes.length);
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + below(60))]);
};

const spliced = (bytes: Buffer, originals: readonly Uint8Array[]): Buffer => {
  const other = oneOf(originals);
  const [at, from] = [below(bytes.length), below(other.length)];
  return Buffer.concat([bytes.subarray(0, at), other.subarray(from, from + below(800)), bytes.subarray(at)]);
};

const renumbered = (bytes: Buffer): Buffer => {
  const start = below(bytes.length);
  for (let at = start; at < Math.min(start + 40, bytes.length); at += 1) {
    const isDigit = (bytes[at] ?? 0) >= 0x30 && (bytes[at] ?? 0) <= 0x39;
    if (isDigit) bytes[at] = 0x30 + below(10);
  }
  return bytes;
};

const reworded = (bytes: Buffer): Buffer => {
  const word = oneOf(words.split(" "));
  const at = bytes.indexOf(word, below(bytes.length));
  if (at < 0) return bytes;
  const [kept, skipped] = [below(2) * word.length, word.length + below(2) * 3];
  return Buffer.concat([
    bytes.subarray(0, at + kept),
    Buffer.from(` ${oneOf(replacements)} `),
    bytes.subarray(at + skipped),
  ]);
};

/** What became of an attempt; errors that are no refusals are thrown. */
const outcome = async (attempt: Promise<unknown>): Promise<string> => {
  try {
    await attempt;
    return "done";
  } catch (error) {
    if (error instanceof PdfRefused) return error.reason;
    throw error;
  }
};

test("PDFs that were changed at random are taken and sealed, or refused at once", async () => {
  const sealing = { identity, sealedAt: 0 };
  const form = firstFurtherObject(2);
  const pages = [{ content: textAt(50, 700, "one") }, { entries: "/MediaBox[0 0 842 595]/Rotate 90", content: "q Q" }];
  const objects = [
    `<</Fields[${form + 1} 0 R]>>`,
    "<</FT/Tx/T(Name)/V(Ana)>>",
    `<</FT/Sig/T(Theirs)/V ${form + 3} 0 R>>`,
    "<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/ETSI.CAdES.detached/ByteRange[0 600 700 900]/Contents<3000>>>",
  ];
  const originals = (["table", "stream"] as const).flatMap((crossReference) => [
    pdf({ pages, objects, crossReference, catalog: `/AcroForm ${form} 0 R` }),
    pdf({ pages, objects, crossReference, catalog: `/AcroForm<</Fields[${form + 2} 0 R]/SigFlags 3>>` }),
  ]);
  const outcomes = new Set<string>();
  for (let index = 0; index < MUTANTS; index += 1) {
    const bytes = mutant(originals);
    const inspected = await outcome(engine.inspect(bytes));
    expect(
      await outcome(engine.stampAndSeal(bytes, [stampOf({ placement: { pages: "all", x: 9, y: 9 } })], sealing)),
    ).toBe(inspected);
    await engine.verify(bytes, []);
    outcomes.add(inspected);
  }
  expect([...outcomes]).toEqual(expect.arrayContaining(["done", "broken"]));
});
