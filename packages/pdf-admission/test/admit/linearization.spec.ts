import { readFileSync } from "node:fs";
import { openDocument } from "@rubrica/pdf-reading/open";
import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { pdf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { has, output, temporaryFile } from "@rubrica/test-kit/pdf/tools";
import { startOf, streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit, lookedThrough } from "../../src/admit.ts";

const { engine, identity } = await openedEngine();

/** What is said of a file for readers that don't have all of it yet; each part as it should be where it is not given. */
interface Told {
  length?: (length: number) => number;
  first?: number;
  count?: number;
  /** How many objects the second page has, by the table of hints. */
  objects?: number;
  hints?: string;
}

const FIRST = 8;
const page = (content: number) => `<</Type/Page/Parent 6 0 R/MediaBox[0 0 200 200]/Contents ${content} 0 R>>`;
const row = (offset: number): string => `${String(offset).padStart(10, "0")} 00000 n \n`;

/** Of three pages: the objects 8, 1 and 3, and a further one, 9, that is none of its tree. */
const linearized = ({ length = (own) => own, first = FIRST, count = 3, objects = 2, hints }: Told = {}): Buffer => {
  const table = Buffer.alloc(39);
  table.writeUInt32BE(2, 0);
  table.writeUInt16BE(8, 8);
  table[37] = objects - 2;
  const numbers = [page(2), streamOf(""), page(4), streamOf(""), "<</Type/Catalog/Pages 6 0 R>>"];
  numbers.push("<</Type/Pages/Kids[8 0 R 1 0 R 3 0 R]/Count 3>>");
  numbers.push(streamOf(table.toString("latin1")), page(4), page(2));
  const dictionary = `10 0 obj\n<</Linearized 1/L LENGTHLENG/H[${hints ?? "HINTSHINTS 99"}]/O ${first}/E 999/N ${count}/T 999>>\nendobj\n`;
  const head = `%PDF-1.7\n${dictionary}`;
  const rowsAt = head.length;
  const tail = "trailer\n<</Size 11/Root 5 0 R>>\nstartxref\n0\n%%EOF\n";
  let at = rowsAt + "xref\n0 11\n".length + 11 * 20 + tail.length;
  const offsets = numbers.map((body, index) => {
    const offset = at;
    at += `${index + 1} 0 obj\n${body}\nendobj\n`.length;
    return offset;
  });
  const rows = ["0000000000 65535 f \n", ...offsets.map(row), row("%PDF-1.7\n".length)].join("");
  const bodies = numbers.map((body, index) => `${index + 1} 0 obj\n${body}\nendobj\n`).join("");
  const whole = `${head}xref\n0 11\n${rows}${tail}${bodies}startxref\n${rowsAt}\n%%EOF\n`;
  const settled = whole
    .replace("LENGTHLENG", String(length(whole.length)).padEnd(10))
    .replace("HINTSHINTS", String(offsets[6]).padEnd(10));
  return Buffer.from(settled, "latin1");
};

/** With another content of the third page. */
const grown = (before: Buffer): Buffer => {
  const object = `4 0 obj\n${streamOf("0 0 9 9 re f")}\nendobj\n`;
  const table = `xref\n4 1\n${row(before.length)}trailer\n<</Size 11/Root 5 0 R/Prev ${startOf(before)}>>\n`;
  const added = `${object}${table}startxref\n${before.length + object.length}\n%%EOF\n`;
  return Buffer.concat([before, Buffer.from(added)]);
};
const GROWN_LENGTH = grown(linearized()).length;

const doubtful: [string, () => Buffer][] = [
  ["has another first page", () => linearized({ first: 9 })],
  ["has more pages", () => linearized({ count: 4 })],
  ["has another page by its hints", () => linearized({ objects: 8 })],
  ["has no hints", () => linearized({ hints: "99 99" })],
  ["was updated within the length that it says", () => grown(linearized({ length: () => GROWN_LENGTH }))],
  ["will be as long as it says", () => linearized({ length: (own) => own + 50_000, first: 9 })],
];

describe("a file that says where its pages are for readers that don't have all of it", () => {
  test.each(doubtful)("is written anew where it %s", async (_, make) => {
    const bytes = make();
    expect(lookedThrough(await openDocument(bytes)).ambiguity).toBe("linearization");
    const { bytes: admitted } = await admit(bytes);
    expect(Buffer.from(admitted ?? []).toString("latin1")).not.toContain("/Linearized");
  });

  test("is refused where somebody signed it so", async () => {
    const signed = await engine.seal(linearized({ length: () => 0 }), { identity, sealedAt: systemClock.now() });
    const first = Buffer.from(signed.bytes);
    expect((await admit(first)).bytes).toBeNull();
    const told = first.toString("latin1").replace(/\/L 0 {9}/, `/L ${String(first.length).padEnd(10)}`);
    await expect(admit(Buffer.from(told, "latin1"))).rejects.toMatchObject({ reason: "ambiguous" });
  });

  test.each([
    ["agrees with its page tree", () => linearized()],
    ["was updated since, as long as it is not", () => grown(linearized({ first: 9 }))],
    ["has no such pages by its hints", () => linearized({ objects: 3 })],
  ])("stays as it is where it %s", async (_, make) => {
    expect(lookedThrough(await openDocument(make()))).toMatchObject({ ambiguity: null, active: [] });
    expect((await admit(make())).bytes).toBeNull();
  });

  test.skipIf(!has("qpdf"))("stays as it is where another program wrote it", async () => {
    const pages = ["one", "two", "three"].map((word) => ({ content: textAt(50, 700, word) }));
    for (const mode of ["disable", "generate"]) {
      const path = temporaryFile(Buffer.of());
      output("qpdf", "--linearize", `--object-streams=${mode}`, temporaryFile(pdf({ pages })), path);
      expect(await admit(readFileSync(path))).toMatchObject({ bytes: null });
    }
  });
});
