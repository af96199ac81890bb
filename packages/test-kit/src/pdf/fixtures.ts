import { deflateSync } from "node:zlib";
import type { Stamp } from "@rubrica/pdf";
import sharp from "sharp";

/** A page of a fixture: entries beside Type, Parent, Contents and Resources, and what is drawn on it. */
export interface FixturePage {
  entries?: string;
  /** Entries of its resources beside Font. */
  resources?: string;
  /** Fonts beside F1. */
  fonts?: string;
  content?: string;
}

/** How a fixture is written. */
export interface FixtureOptions {
  pages?: readonly FixturePage[];
  /** Entries of the catalog beside Type and Pages. */
  catalog?: string;
  /** Further objects, numbered on from the last. */
  objects?: readonly string[];
  trailer?: string;
  crossReference?: "table" | "stream";
}

/** Number of the first of a fixture's further objects. */
export const firstFurtherObject = (pageCount: number): number => 4 + pageCount * 2;

/** A small PDF written by hand, so that each test knows every byte of it. */
export const pdf = (options: FixtureOptions = {}): Uint8Array => {
  const { pages = [{}], catalog = "", objects = [], trailer = "", crossReference = "table" } = options;
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(" ");
  const bodies = [
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    `<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ...pages.flatMap(({ entries = "/MediaBox[0 0 595 842]", resources = "", fonts = "", content = "" }, index) => [
      `<</Type/Page/Parent 2 0 R${entries}/Resources<</Font<</F1 3 0 R${fonts}>>${resources}>>/Contents ${5 + index * 2} 0 R>>`,
      `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
    ]),
    ...objects,
  ];
  let file = "%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n";
  const offsets = bodies.map((body, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const start = file.length;
  const ending = `startxref\n${start}\n%%EOF\n`;
  const entries = `/Root 1 0 R${trailer}`;
  if (crossReference === "table") {
    const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
    file += `xref\n0 ${bodies.length + 1}\n0000000000 65535 f \n${rows}trailer\n<</Size ${bodies.length + 1}${entries}>>\n`;
    return Buffer.from(file + ending, "latin1");
  }
  const rows = Buffer.concat(
    [0, ...offsets, start].map((offset, index) => {
      const row = Buffer.alloc(6);
      row.writeUInt8(index === 0 ? 0 : 1, 0);
      row.writeUInt32BE(offset, 1);
      return row;
    }),
  );
  const data = deflateSync(rows).toString("latin1");
  const number = bodies.length + 1;
  file += `${number} 0 obj\n<</Type/XRef/W[1 4 1]/Size ${number + 1}${entries}/Filter/FlateDecode/Length ${data.length}>>\nstream\n${data}\nendstream\nendobj\n`;
  return Buffer.from(file + ending, "latin1");
};

/** Text at a place of a page, for `pdf`. */
export const textAt = (x: number, y: number, words: string): string => `BT /F1 12 Tf ${x} ${y} Td (${words}) Tj ET`;

/** A drawn signature: a black box on nothing, so that tests can find its corners by pixels. */
export const pngDrawing = await sharp({
  create: { width: 300, height: 60, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 1 } },
})
  .png()
  .toBuffer();

/** The same as a picture without transparency. */
export const jpegDrawing = await sharp(pngDrawing).flatten({ background: "#fff" }).jpeg().toBuffer();

/** A signer's stamp at 100, 100 of the first page. */
export const stampOf = (changes: Partial<Stamp> = {}): Stamp => ({
  placement: { pages: 1, x: 100, y: 100 },
  drawing: pngDrawing,
  name: "Ana Pérez",
  idNumber: "20123456",
  signedAt: Date.UTC(2026, 10, 21, 12, 13, 22),
  timeZone: "America/Argentina/Buenos_Aires",
  documentId: "0197a3c2-1111-7222-8333-9d41c07fabcd",
  ...changes,
});
