import { deflateSync } from "node:zlib";

// Written by hand: what no library writes is what parsers break on.

/** One value of a PDF, as text, with about so many parts. */
export type Shape = (size: number) => string;

const repeated = (size: number, part: (index: number) => string): string =>
  Array.from({ length: size }, (_, index) => part(index)).join("");

/** Values that are cheap to write and may be dear to read. */
export const shapes: Readonly<Record<string, Shape>> = {
  "a dictionary of many keys": (size) => `<<${repeated(size, (index) => `/${index.toString(16)} 0 `)}>>`,
  "a dictionary of one key again and again": (size) => `<<${"/A 0 ".repeat(size)}>>`,
  "an array of numbers": (size) => `[${"0 ".repeat(size)}]`,
  "an array of references": (size) => `[${"1 0 R ".repeat(size)}]`,
  "an array of references to nothing": (size) => `[${repeated(size, (index) => `${9 + index} 0 R `)}]`,
  "an array of empty dictionaries": (size) => `[${"<<>>".repeat(size)}]`,
  "arrays in arrays": (size) => "[".repeat(size) + "]".repeat(size),
  "dictionaries in dictionaries": (size) => "<</A".repeat(size) + ">>".repeat(size),
  "arrays that never end": (size) => "[".repeat(size),
  "a string of nested parentheses": (size) => "(".repeat(size) + ")".repeat(size),
  "a string that never ends": (size) => `(${"a".repeat(size)}`,
  "a string of escapes": (size) => `(${"\\050".repeat(size)})`,
  "a hexadecimal string": (size) => `<${"41".repeat(size)}>`,
  "a name of escapes": (size) => `/${"#41".repeat(size)}`,
  "a number of many digits": (size) => `1${"0".repeat(size)}.${"0".repeat(size)}1`,
  "signs before a number": (size) => `${"-".repeat(size)}1`,
  comments: (size) => `${"% a comment\n".repeat(size)} 0`,
  blanks: (size) => `${" ".repeat(size)}0`,
};

/** A PDF's object, and the PDF around it. */
type Body = string | Buffer;

const PAGE = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<<>>/Contents 4 0 R>>";

const streamOf = (entries: string, data: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`<<${entries}/Length ${data.length}>>\nstream\n`, "latin1"),
    data,
    Buffer.from("\nendstream"),
  ]);

const deflatedOf = (entries: string, text: string): Buffer =>
  streamOf(`${entries}/Filter/FlateDecode`, deflateSync(Buffer.from(text, "latin1")));

interface FileOptions {
  catalog?: string;
  pages?: string;
  page?: string;
  content?: Body;
  further?: readonly Body[];
  trailer?: string;
}

const BEGINNING = "%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n";

/** A file of numbered objects with a classic cross-reference table. Objects: 1 catalog, 2 pages, 3 page, 4 content, 5 … */
export const pdfFile = (options: FileOptions = {}): Buffer => {
  const { catalog = "", pages, page = PAGE, content = "<</Length 0>>\nstream\n\nendstream" } = options;
  const { further = [], trailer = "" } = options;
  const tree = pages ?? "<</Type/Pages/Kids[3 0 R]/Count 1>>";
  const bodies: Body[] = [`<</Type/Catalog/Pages 2 0 R${catalog}>>`, tree, page, content, ...further];
  const parts: Buffer[] = [Buffer.from(BEGINNING, "latin1")];
  let length = parts[0]?.length ?? 0;
  const add = (part: Buffer) => {
    parts.push(part);
    length += part.length;
  };
  const offsets = bodies.map((body, index) => {
    const offset = length;
    add(Buffer.from(`${index + 1} 0 obj\n`));
    add(Buffer.from(body as string, "latin1"));
    add(Buffer.from("\nendobj\n"));
    return offset;
  });
  const start = length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  add(Buffer.from(`xref\n0 ${bodies.length + 1}\n0000000000 65535 f \n${rows}`));
  add(Buffer.from(`trailer\n<</Size ${bodies.length + 1}/Root 1 0 R${trailer}>>\n`, "latin1"));
  add(Buffer.from(`startxref\n${start}\n%%EOF\n`));
  return Buffer.concat(parts);
};

/** A row of a cross-reference stream whose fields are 1, 4 and 2 bytes wide. */
const row = (type: number, second: number, third: number): Buffer => {
  const bytes = Buffer.alloc(7);
  bytes.writeUInt8(type, 0);
  bytes.writeUInt32BE(second, 1);
  bytes.writeUInt16BE(third, 5);
  return bytes;
};

/** A file whose catalog and pages lie in a compressed object stream. `entries`: of the cross-reference stream. */
const compressedFile = (catalog: string, entries = ""): Buffer => {
  const objects = [`<</Type/Catalog/Pages 2 0 R${catalog}>>`, "<</Type/Pages/Kids[3 0 R]/Count 1>>", PAGE];
  const offsets = objects.map((_, index) => objects.slice(0, index).reduce((sum, text) => sum + text.length + 1, 0));
  const index = `${offsets.map((offset, number) => `${number + 1} ${offset}`).join(" ")} `;
  const beginning = Buffer.from(BEGINNING, "latin1");
  const numbered = (number: number, body: Buffer) =>
    Buffer.concat([Buffer.from(`${number} 0 obj\n`), body, Buffer.from("\nendobj\n")]);
  const content = numbered(4, streamOf("", Buffer.alloc(0)));
  const container = numbered(
    5,
    deflatedOf(`/Type/ObjStm/N ${objects.length}/First ${index.length}`, `${index}${objects.join(" ")} `),
  );
  const start = beginning.length + content.length + container.length;
  const rows = Buffer.concat([
    row(0, 0, 65_535),
    ...objects.map((_, number) => row(2, 5, number)),
    row(1, beginning.length, 0),
    row(1, beginning.length + content.length, 0),
    row(1, start, 0),
  ]);
  const references = numbered(6, streamOf(`/Type/XRef/Size 7/W[1 4 2]/Root 1 0 R${entries}`, rows));
  return Buffer.concat([beginning, content, container, references, Buffer.from(`startxref\n${start}\n%%EOF\n`)]);
};

/** Where a value can lie in a PDF that is read. */
export const containers: Readonly<Record<string, (value: string) => Buffer>> = {
  "the catalog": (value) => pdfFile({ catalog: `/X ${value}` }),
  "the catalog in an object stream": (value) => compressedFile(`/X ${value}`),
  "the form": (value) => pdfFile({ catalog: `/AcroForm<</Fields ${value}>>` }),
  "an object of its own": (value) => pdfFile({ catalog: "/AcroForm 5 0 R", further: [value] }),
  "the tree of pages": (value) => pdfFile({ pages: `<</Type/Pages/Kids ${value}/Count 1>>` }),
  "the page": (value) => pdfFile({ page: PAGE.replace("<<>>", value) }),
  "the page's annotations": (value) => pdfFile({ page: PAGE.replace("/Contents", `/Annots ${value}/Contents`) }),
  "a stream's dictionary": (value) => pdfFile({ content: `<</X ${value}/Length 0>>\nstream\n\nendstream` }),
  "a stream's filters": (value) => pdfFile({ content: `<</Filter ${value}/Length 0>>\nstream\n\nendstream` }),
  "the content of a page": (value) => pdfFile({ content: deflatedOf("", `q ${value} TJ Q`) }),
  "the trailer": (value) => pdfFile({ trailer: `/X ${value}` }),
  "the cross-reference stream": (value) => compressedFile("", `/X ${value}`),
  names: (value) => pdfFile({ catalog: `/Names<</JavaScript<</Names ${value}>>/Dests ${value}>>` }),
};

const PAGE_OF = (contents: string) => PAGE.replace("4 0 R", contents);

/** Whole files whose cost lies in how they hang together. */
export const structures: Readonly<Record<string, (size: number) => Buffer>> = {
  "many pages": (size) =>
    pdfFile({
      pages: `<</Type/Pages/Kids[${repeated(size, (index) => `${5 + index} 0 R `)}]/Count ${size}>>`,
      further: Array.from({ length: size }, () => PAGE),
    }),
  "one page, shown again and again": (size) =>
    pdfFile({ pages: `<</Type/Pages/Kids[${"3 0 R ".repeat(size)}]/Count ${size}>>` }),
  "pages that share one large content": (size) =>
    pdfFile({
      pages: `<</Type/Pages/Kids[${repeated(Math.ceil(size / 8), (index) => `${5 + index} 0 R `)}]/Count ${Math.ceil(size / 8)}>>`,
      content: deflatedOf("", "0 0 m 1 1 l S ".repeat(size)),
      further: Array.from({ length: Math.ceil(size / 8) }, () => PAGE),
    }),
  "a page whose content is one stream again and again": (size) =>
    pdfFile({
      page: PAGE_OF(`[${"4 0 R ".repeat(Math.ceil(size / 8))}]`),
      content: deflatedOf("", "0 0 m 1 1 l S ".repeat(size)),
    }),
  "a tree of pages as deep as it is long": (size) =>
    pdfFile({
      pages: "<</Type/Pages/Kids[5 0 R]/Count 1>>",
      further: Array.from({ length: size }, (_, index) =>
        index === size - 1 ? "<</Type/Pages/Kids[3 0 R]/Count 1>>" : `<</Type/Pages/Kids[${6 + index} 0 R]/Count 1>>`,
      ),
    }),
  "references to references": (size) =>
    pdfFile({
      catalog: "/AcroForm 5 0 R",
      further: Array.from({ length: size }, (_, index) => (index === size - 1 ? "<<>>" : `${6 + index} 0 R`)),
    }),
  "saved states in the content": (size) => pdfFile({ content: deflatedOf("", "q ".repeat(size)) }),
  "restored states in the content": (size) => pdfFile({ content: deflatedOf("", "Q ".repeat(size)) }),
  "text in the content": (size) =>
    pdfFile({
      page: PAGE.replace("<<>>", "<</Font<</F1 5 0 R>>>>"),
      content: deflatedOf("", "BT /F1 1 Tf 1 1 Td (a) Tj ET ".repeat(size)),
      further: ["<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"],
    }),
  "matrices in the content": (size) => pdfFile({ content: deflatedOf("", "1 0 0 1 1 1 cm ".repeat(size)) }),
  "inline images in the content": (size) =>
    pdfFile({ content: deflatedOf("", "BI /W 1 /H 1 /BPC 8 /CS /G ID a EI ".repeat(size)) }),
  "an inline image that never ends": (size) => pdfFile({ content: deflatedOf("", `BI ID ${"E ".repeat(size)}`) }),
  annotations: (size) =>
    pdfFile({
      page: PAGE.replace("/Contents", `/Annots[${"5 0 R ".repeat(size)}]/Contents`),
      further: ["<</Type/Annot/Subtype/Text/Rect[0 0 9 9]>>"],
    }),
  "fields in fields": (size) =>
    pdfFile({
      catalog: "/AcroForm<</Fields[5 0 R]>>",
      further: Array.from({ length: size }, (_, index) => `<</T(a)/Kids[${6 + index} 0 R]>>`),
    }),
  "revisions of nothing": (size) => revised(size, ""),
  "revisions whose cross-references all lead to each other": (size) => revised(size, "/XRefStm 9"),
  "filters on filters": (size) =>
    pdfFile({
      content: streamOf(`/Filter[${"/ASCIIHexDecode".repeat(size)}]`, Buffer.from(`${"3".repeat(size)}>`)),
    }),
  "a stream that inflates to much": (size) => pdfFile({ content: deflatedOf("", " ".repeat(size * 64)) }),
  "an object stream that holds nothing": (size) =>
    pdfFile({ further: [deflatedOf(`/Type/ObjStm/N ${size}/First ${size * 4}`, "1 0 ".repeat(size))] }),
  "no cross-references at all": (size) =>
    Buffer.concat([pdfFile({ further: Array.from({ length: size }, () => "null") }).subarray(0, -60)]),
  "the word obj again and again": (size) => Buffer.from(`${BEGINNING}${"1 0 obj ".repeat(size)}`, "latin1"),
  "the word stream again and again": (size) =>
    Buffer.from(`${BEGINNING}${"1 0 obj<</Length 9 0 R>>stream\n".repeat(size)}`, "latin1"),
  "the word startxref again and again": (size) => Buffer.from(`${BEGINNING}${"startxref\n9\n".repeat(size)}`, "latin1"),
  "forms in forms": (size) =>
    pdfFile({
      page: PAGE.replace("<<>>", "<</XObject<</A 5 0 R>>>>"),
      content: deflatedOf("", "/A Do "),
      further: Array.from({ length: size }, (_, index) =>
        deflatedOf(
          `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</A ${6 + index} 0 R>>>>`,
          "/A Do /A Do ",
        ),
      ),
    }),
  "signatures of nothing": (size) =>
    pdfFile({
      catalog: `/AcroForm<</SigFlags 3/Fields[${repeated(size, (index) => `${5 + index * 2} 0 R `)}]>>`,
      further: Array.from({ length: size * 2 }, (_, index) =>
        index % 2 === 0
          ? `<</FT/Sig/T(s${index})/V ${6 + index} 0 R>>`
          : "<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/adbe.pkcs7.detached/ByteRange[0 9 99 9]/Contents<3000>>>",
      ),
    }),
};

/** A file with so many empty revisions after the first. */
const revised = (size: number, trailer: string): Buffer => {
  const first = pdfFile();
  const parts: Buffer[] = [first];
  let length = first.length;
  let previous = Number(/startxref\n(\d+)/.exec(first.toString("latin1"))?.[1]);
  for (let revision = 0; revision < size; revision += 1) {
    const part = Buffer.from(
      `xref\n0 0\ntrailer\n<</Size 5/Root 1 0 R/Prev ${previous}${trailer}>>\nstartxref\n${length}\n%%EOF\n`,
    );
    previous = length;
    parts.push(part);
    length += part.length;
  }
  return Buffer.concat(parts);
};

/** The upload that was seen to end the process: a catalog of 1,060,000 keys in an object stream. */
export const manyKeys = (): Buffer => compressedFile(repeated(1_060_000, (index) => `/${index.toString(16)} 0 `));
