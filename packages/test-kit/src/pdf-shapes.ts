import { deflateSync } from "node:zlib";
import type { Random } from "@rubrica/runtime";

/** A kind of PDF whose parts are more of the same, the larger its size. */
export interface PdfShape {
  name: string;
  /** A size at which reading it takes some milliseconds. */
  size: number;
  /** A file of some size; of the same size and randomness, the same file. */
  make(size: number, random: Random): Uint8Array;
}

/** What a file is made of. Objects are numbered from 1: catalog, page tree, then pages with contents, then the rest. */
interface Parts {
  /** Entries of the catalog beside its type and its pages. */
  catalog?: string;
  /** What stands in the page tree; one page when it is not given. */
  pages?: string;
  /** Entries of the page 3, and its content 4. */
  page?: string;
  content?: string | Buffer;
  contentEntries?: string;
  /** Objects from 5 on. */
  objects?: readonly (string | Buffer)[];
  /** Objects after these, in an object stream. */
  held?: readonly string[];
  trailer?: string;
}

/** Number of the first of a file's further objects. */
const FIRST = 5;

const bytesOf = (text: string | Buffer): Buffer => (typeof text === "string" ? Buffer.from(text, "latin1") : text);

/** A stream with its dictionary. */
const stream = (data: string | Buffer, entries = ""): Buffer =>
  Buffer.concat([
    bytesOf(`<<${entries}/Length ${bytesOf(data).length}>>\nstream\n`),
    bytesOf(data),
    bytesOf("\nendstream"),
  ]);

const deflated = (data: string | Buffer, entries = ""): Buffer =>
  stream(deflateSync(bytesOf(data)), `${entries}/Filter/FlateDecode`);

const repeated = (count: number, part: (index: number) => string): string => {
  const parts: string[] = [];
  for (let index = 0; index < count; index += 1) parts.push(part(index));
  return parts.join("");
};

const listed = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));

/** Writes a file with a cross-reference stream, which object streams need. */
const file = ({ catalog = "", pages, page = "", content = "q Q", contentEntries = "", ...rest }: Parts): Buffer => {
  const { objects = [], held = [], trailer = "" } = rest;
  const kids = pages ?? "3 0 R";
  const plain = [
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    `<</Type/Pages/Kids[${kids}]/Count 1/MediaBox[0 0 595 842]>>`,
    `<</Type/Page/Parent 2 0 R/Contents 4 0 R${page}>>`,
    stream(content, contentEntries),
    ...objects,
  ];
  const firstHeld = plain.length + 1;
  let at = 0;
  const heads = held.map((body, index) => {
    const head = `${firstHeld + index} ${at} `;
    at += body.length + 1;
    return head;
  });
  const holder = firstHeld + held.length;
  const head = heads.join("");
  const all: (string | Buffer)[] = [...plain];
  if (held.length > 0) {
    all.push(deflated(`${head}${held.join("\n")}`, `/Type/ObjStm/N ${held.length}/First ${head.length}`));
  }
  const written: Buffer[] = [Buffer.from("%PDF-1.7\n")];
  let offset = written[0]?.length ?? 0;
  const push = (part: Buffer) => {
    written.push(part);
    offset += part.length;
  };
  const rows: number[][] = [[0, 0, 0]];
  for (const [index, body] of all.entries()) {
    const number = index < plain.length ? index + 1 : holder;
    rows[number] = [1, offset, 0];
    push(Buffer.concat([bytesOf(`${number} 0 obj\n`), bytesOf(body), bytesOf("\nendobj\n")]));
  }
  for (const index of held.keys()) rows[firstHeld + index] = [2, holder, index];
  const own = rows.length;
  rows.push([1, offset, 0]);
  const data = Buffer.alloc(rows.length * 8);
  for (const [index, [type = 0, second = 0, third = 0]] of rows.entries()) {
    data.writeUInt8(type, index * 8);
    data.writeUInt32BE(second, index * 8 + 1);
    data.writeUIntBE(third, index * 8 + 5, 3);
  }
  const start = offset;
  push(bytesOf(`${own} 0 obj\n`));
  push(deflated(data, `/Type/XRef/W[1 4 3]/Size ${rows.length}/Root 1 0 R${trailer}`));
  push(bytesOf(`\nendobj\nstartxref\n${start}\n%%EOF\n`));
  return Buffer.concat(written);
};

/** Pages in an object stream, so that many are few bytes. */
const manyPages = (count: number, entries: string, parts: Parts = {}): Buffer => {
  const first = FIRST + (parts.objects?.length ?? 0);
  return file({
    ...parts,
    pages: repeated(count, (index) => `${first + index} 0 R `),
    held: [...listed(count, () => `<</Type/Page/Parent 2 0 R${entries}>>`), ...(parts.held ?? [])],
  });
};

/** A file whose cross-reference is nowhere: readers look for its objects. */
const lost = (part: (index: number) => string, size: number): Buffer =>
  Buffer.from(
    `%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R>>endobj\n${repeated(size, part)}\ntrailer<</Root 1 0 R>>\nstartxref\n99999999\n%%EOF\n`,
    "latin1",
  );

const form = (fields: string, objects: readonly string[] = [], held: readonly string[] = []): Buffer =>
  file({ catalog: `/AcroForm<</Fields[${fields}]/SigFlags 3>>`, objects, held });

const references = (count: number, first: number): string => repeated(count, (index) => `${first + index} 0 R `);

const signature = "<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/ETSI.CAdES.detached/ByteRange[0 9 20 9]/Contents<30>>>";

const action = "<</S/URI/URI(https://rubrica.example)>>";
const script = "<</S/JavaScript/JS(x)>>";

/** Deflated data whose checksum is wrong after all of it was inflated. */
const broken = (count: number): Buffer => {
  const data = deflateSync(Buffer.alloc(count));
  data.fill(0xff, data.length - 12);
  return data;
};

/** A file's cross-reference as a table in so many parts. */
const tabled = (rows: (offset: (number: number) => string) => string, trailer = ""): Buffer => {
  const bodies = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>",
  ];
  let text = "%PDF-1.7\n";
  const offsets = bodies.map((body, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const start = text.length;
  const row = (number: number) => `${number} 1\n${String(offsets[number - 1] ?? 0).padStart(10, "0")} 00000 n \n`;
  return Buffer.from(
    `${text}xref\n${rows(row)}trailer\n<</Size 4/Root 1 0 R${trailer}>>\nstartxref\n${start}\n%%EOF\n`,
    "latin1",
  );
};

/** Sections of a cross-reference one after the other, each of which names the one before it. */
const chained = (
  count: number,
  section: (index: number, previous: number | null, offset: number) => string,
): Buffer => {
  let text = "%PDF-1.7\n";
  const offsets: number[] = [];
  for (const body of [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>",
  ]) {
    offsets.push(text.length);
    text += `${offsets.length} 0 obj\n${body}\nendobj\n`;
  }
  const parts = [text];
  let at = text.length;
  let previous: number | null = null;
  for (let index = 0; index < count; index += 1) {
    const start = at;
    const part = section(index, previous, at);
    parts.push(part);
    at += part.length;
    previous = start;
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const prev = previous === null ? "" : `/Prev ${previous}`;
  const last = `xref\n1 3\n${rows}trailer\n<</Size 4/Root 1 0 R${prev}>>\n`;
  return Buffer.from(`${parts.join("")}${last}startxref\n${at}\n%%EOF\n`, "latin1");
};

/** Small whole numbers that a seed decides, so that no two runs send the same. */
const some = (random: Random, below: number): number => random.bytes(4).readUInt32BE() % below;

/** Shapes of PDFs that cost their reader more than they should, each with a knob for its size. */
export const pdfShapes: readonly PdfShape[] = [
  // Values
  {
    name: "a dictionary of many keys in an object stream",
    size: 20_000,
    make: (size, random) => {
      const salt = some(random, 1_000_000).toString(36);
      return file({
        catalog: `/Odd ${FIRST} 0 R`,
        held: [`<<${repeated(size, (key) => `/${key.toString(16)}${salt} 0`)}>>`],
      });
    },
  },
  {
    name: "a catalog of many keys",
    size: 20_000,
    make: (size) => file({ catalog: repeated(size, (key) => `/${key.toString(16)} 0`) }),
  },
  { name: "a long array", size: 100_000, make: (size) => file({ catalog: `/Odd[${"0 ".repeat(size)}]` }) },
  {
    name: "a deep array",
    size: 20_000,
    make: (size) => file({ catalog: `/Odd${"[".repeat(size)}${"]".repeat(size)}` }),
  },
  {
    name: "many deep arrays",
    size: 1_000,
    make: (size) => file({ catalog: `/Odd[${`${"[".repeat(150)}${"]".repeat(150)}`.repeat(size)}]` }),
  },
  {
    name: "deep dictionaries",
    size: 20_000,
    make: (size) => file({ catalog: `/Odd${"<</A".repeat(size)} 0${">>".repeat(size)}` }),
  },
  { name: "words that are nothing", size: 100_000, make: (size) => file({ catalog: `/Odd[${"x ".repeat(size)}]` }) },
  {
    name: "names that are spelt in hex",
    size: 20_000,
    make: (size, random) => {
      const salt = some(random, 100);
      return file({
        catalog: `/Odd[${repeated(size, (key) => `/#4${key % 10}#5${salt % 10}#6${Math.floor(key / 10) % 10}${key}`)}]`,
      });
    },
  },
  {
    name: "a string of parentheses",
    size: 300_000,
    make: (size) => file({ catalog: `/Odd(${"(".repeat(size)}${")".repeat(size)})` }),
  },
  { name: "a string without an end", size: 300_000, make: (size) => file({ catalog: `/Odd(${"(".repeat(size)}` }) },
  { name: "a long number", size: 1_000_000, make: (size) => file({ catalog: `/Odd ${"9".repeat(size)}` }) },
  { name: "comments", size: 100_000, make: (size) => file({ catalog: `/Odd[${"%x\n1 ".repeat(size)}]` }) },
  {
    name: "a chain of references",
    size: 20_000,
    make: (size) =>
      file({ catalog: `/OpenAction ${FIRST} 0 R`, held: listed(size, (index) => `${FIRST + index + 1} 0 R`) }),
  },
  {
    name: "objects within each other",
    size: 2_000,
    make: (size) => {
      const held = file({ held: listed(size, () => "0") });
      const opened = repeated(size, (index) => `${FIRST + index} 0 obj (`);
      return Buffer.concat([bytesOf("%PDF-1.7\n"), bytesOf(opened), bytesOf(")".repeat(size)), held]);
    },
  },
  // Cross-references
  {
    name: "a table in many parts",
    size: 50_000,
    make: (size) => tabled((row) => row(1) + row(2) + row(3) + "0 0\n".repeat(size)),
  },
  {
    name: "a table of many objects",
    size: 50_000,
    make: (size) => tabled((row) => `${row(1)}${row(2)}${row(3)}9 ${size}\n${"0000000000 00000 n \n".repeat(size)}`),
  },
  {
    name: "a cross-reference stream in many parts",
    size: 20_000,
    make: (size) =>
      chained(
        1,
        () =>
          `9 0 obj\n<</Type/XRef/W[1 1 1]/Size 9/Index[${"9 0 ".repeat(size)}]/Length 0>>\nstream\n\nendstream\nendobj\n`,
      ),
  },
  {
    name: "a chain of tables",
    size: 400,
    make: (size) =>
      chained(size, (_, previous) => `xref\n0 0\ntrailer\n<<${previous === null ? "" : `/Prev ${previous}`}>>\n`),
  },
  {
    name: "cross-reference streams within each other",
    size: 200,
    make: (size) =>
      chained(size, (_, previous, at) => {
        const length = String(size * 3_000 - at > 0 ? size * 2_000 : 0).padStart(9, "0");
        return `9 0 obj\n<</Type/XRef/W[1 1 1]/Size 99999999/Length ${length}${previous === null ? "" : `/Prev ${previous}`}>>\nstream\n${" ".repeat(2_000)}\nendstream\nendobj\n`;
      }),
  },
  {
    name: "a hidden section that many tables name",
    size: 300,
    make: (size) => {
      const rows = "\u0001\u0001\u0001".repeat(size * 30);
      let hidden = 0;
      return chained(size, (index, previous, at) => {
        const own =
          index > 0
            ? ""
            : `9 0 obj\n<</Type/XRef/W[1 1 1]/Size ${size * 30}/Length ${rows.length}>>\nstream\n${rows}\nendstream\nendobj\n`;
        if (index === 0) hidden = at;
        return index === 0
          ? own
          : `xref\n0 0\ntrailer\n<</XRefStm ${hidden}${index === 1 ? "" : `/Prev ${previous}`}>>\n`;
      });
    },
  },
  {
    name: "a cross-reference that inflates",
    size: 100_000,
    make: (size) => {
      const data = deflateSync(Buffer.alloc(size * 3, 1)).toString("latin1");
      return chained(
        1,
        () =>
          `9 0 obj\n<</Type/XRef/W[1 1 1]/Size ${size}/Filter/FlateDecode/Length ${data.length}>>\nstream\n${data}\nendstream\nendobj\n`,
      );
    },
  },
  // Objects that are looked for
  { name: "lost strings", size: 2_000, make: (size) => lost((index) => `${index + 9} 0 obj (`, size) },
  { name: "lost strings in hex", size: 2_000, make: (size) => lost((index) => `${index + 9} 0 obj <`, size) },
  { name: "lost comments", size: 2_000, make: (size) => lost((index) => `${index + 9} 0 obj %`, size) },
  { name: "lost arrays", size: 20_000, make: (size) => lost((index) => `${index + 9} 0 obj [`, size) },
  { name: "lost dictionaries", size: 20_000, make: (size) => lost((index) => `${index + 9} 0 obj <<`, size) },
  { name: "lost streams", size: 10_000, make: (size) => lost((index) => `${index + 9} 0 obj<<>>stream\n`, size) },
  { name: "lost trailers", size: 10_000, make: (size) => lost(() => "trailer<</Root 1 0 R/ID[(a)(b)]>>\n", size) },
  {
    name: "lost catalogs",
    size: 10_000,
    make: (size) => lost((index) => `${index + 9} 0 obj<</Type/Catalog/Pages ${index + 10} 0 R>>\n`, size),
  },
  { name: "the word obj", size: 100_000, make: (size) => lost(() => " obj", size) },
  {
    name: "lost object streams that can't be inflated",
    size: 20,
    make: (size) => {
      const data = broken(3_000_000).toString("latin1");
      return lost(
        (index) =>
          `${index + 9} 0 obj<</Type/ObjStm/N 9/First 9/Filter/FlateDecode/Length ${data.length}>>stream\n${data}\nendstream endobj\n`,
        size,
      );
    },
  },
  // Streams
  {
    name: "streams that don't end",
    size: 10_000,
    make: (size) =>
      file({
        pages: "3 0 R",
        page: `/Contents[${references(size, FIRST)}]`,
        objects: listed(size, () => "<</Length 9999999>>\nstream\n"),
      }),
  },
  {
    name: "streams within each other, and a script",
    size: 500,
    make: (size) => {
      const parts = listed(size, (index) => `<</Length ${(size - index) * 100}>>\nstream\n${" ".repeat(60)}`);
      return file({ catalog: `/OpenAction${script}/Odd[${references(size, FIRST)}]`, objects: parts });
    },
  },
  {
    name: "object streams of one object each",
    size: 500,
    make: (size) => file({ objects: listed(size, () => deflated("99 0 0", "/Type/ObjStm/N 1/First 5/Extends 5 0 R")) }),
  },
  {
    name: "an object stream that inflates",
    size: 1_000_000,
    make: (size) => file({ catalog: `/Odd ${FIRST} 0 R`, held: [`(${" ".repeat(size)})`] }),
  },
  { name: "an object stream of many objects", size: 20_000, make: (size) => file({ held: listed(size, () => "0") }) },
  {
    name: "content that can't be inflated, and is shared",
    size: 200,
    make: (size) =>
      manyPages(size, "/Contents 4 0 R", { content: broken(4_000_000), contentEntries: "/Filter/FlateDecode" }),
  },
  {
    name: "contents that can't be inflated",
    size: 20,
    make: (size) => {
      const data = broken(2_000_000);
      const entries = "/Filter/FlateDecode";
      return file({
        pages: references(size, FIRST + size),
        objects: listed(size, () => stream(data, entries)),
        held: listed(size, (index) => `<</Type/Page/Parent 2 0 R/Contents ${FIRST + index} 0 R>>`),
      });
    },
  },
  {
    name: "content with an unknown predictor, and is shared",
    size: 200,
    make: (size) =>
      manyPages(size, "/Contents 4 0 R", {
        content: deflateSync(Buffer.alloc(4_000_000)),
        contentEntries: "/Filter/FlateDecode/DecodeParms<</Predictor 5>>",
      }),
  },
  {
    name: "a filter after the other",
    size: 1_000,
    make: (size) =>
      file({
        content: deflateSync(deflateSync(Buffer.alloc(1_000))),
        contentEntries: `/Filter[${"/FlateDecode".repeat(size)}]`,
      }),
  },
  // Contents
  ...(
    [
      ["restores", "Q "],
      ["saves", "q "],
      ["texts", "BT "],
      ["inline images", "BI /W 1 /H 1 ID x EI "],
      ["inline images without an end", "BI ID "],
      ["opened arrays", "["],
      ["opened strings", "("],
      ["numbers", "1 "],
      ["digits", "1"],
      ["comments", "%x\n"],
      ["unknown operators", "xy "],
    ] as const
  ).map(([name, part]) => ({
    name: `a content of ${name}`,
    size: 200_000,
    make: (size: number) =>
      file({ content: deflateSync(Buffer.from(part.repeat(size))), contentEntries: "/Filter/FlateDecode" }),
  })),
  {
    name: "a content of restores that pages share",
    size: 1_000,
    make: (size) =>
      manyPages(size, "/Contents 4 0 R", {
        content: deflateSync(Buffer.from("Q ".repeat(size * 100))),
        contentEntries: "/Filter/FlateDecode",
      }),
  },
  // Pages
  { name: "pages", size: 2_000, make: (size) => manyPages(size, "/Contents 4 0 R") },
  {
    name: "a deep page tree",
    size: 50,
    make: (size) =>
      file({
        pages: `${FIRST} 0 R`,
        held: [...listed(size, (index) => `<</Type/Pages/Kids[${FIRST + index + 1} 0 R]/Count 1>>`), "<</Type/Page>>"],
      }),
  },
  {
    name: "a page tree that runs in a circle",
    size: 5_000,
    make: (size) =>
      file({ pages: `${FIRST} 0 R`, held: listed(size, (index) => `<</Kids[${FIRST + ((index + 1) % size)} 0 R]>>`) }),
  },
  { name: "one page again and again", size: 2_000, make: (size) => file({ pages: "3 0 R ".repeat(size) }) },
  {
    name: "one large page again and again",
    size: 2_000,
    make: (size) =>
      file({ pages: `${FIRST} 0 R `.repeat(size), held: [`<</Type/Page/Odd[${"0 ".repeat(size * 10)}]>>`] }),
  },
  {
    name: "contents that pages share",
    size: 1_000,
    make: (size) => manyPages(size, `/Contents ${FIRST} 0 R`, { objects: [`[${"4 0 R ".repeat(size)}]`] }),
  },
  {
    name: "resources that pages share",
    size: 1_000,
    make: (size) =>
      manyPages(size, `/Contents 4 0 R/Resources ${FIRST} 0 R`, {
        objects: [`<</XObject<<${repeated(size, (index) => `/X${index} 4 0 R`)}>>>>`],
      }),
  },
  {
    name: "forms that pages share",
    size: 1_000,
    make: (size) =>
      manyPages(size, `/Contents 4 0 R/Resources<</XObject ${FIRST} 0 R>>`, {
        objects: [`<<${repeated(size, (index) => `/RubricaStamp${index} 4 0 R`)}>>`],
      }),
  },
  {
    name: "annotations that pages share",
    size: 1_000,
    make: (size) =>
      manyPages(size, `/Contents 4 0 R/Annots ${FIRST} 0 R`, {
        content: "(",
        objects: [`[${"null ".repeat(size * 10)}]`],
      }),
  },
  {
    name: "a box that pages share",
    size: 1_000,
    make: (size) => manyPages(size, `/MediaBox ${FIRST} 0 R`, { objects: [`[0 0 99 99 ${"0 ".repeat(size * 10)}]`] }),
  },
  {
    name: "large pages in an object stream",
    size: 200,
    make: (size) => manyPages(size, `/Odd[${"0 ".repeat(2_000)}]`),
  },
  {
    name: "annotations",
    size: 10_000,
    make: (size) => file({ page: `/Annots[${"<</Subtype/Stamp/Rect[0 0 9 9]>>".repeat(size)}]` }),
  },
  // Forms and signatures
  {
    name: "fields",
    size: 5_000,
    make: (size) =>
      form(
        references(size, FIRST),
        [],
        listed(size, (index) => `<</FT/Tx/T(${index})>>`),
      ),
  },
  {
    name: "fields with a long name",
    size: 2_000,
    make: (size) =>
      form(
        references(size, FIRST + 1),
        [`(${"x".repeat(size)})`],
        listed(size, () => `<</FT/Sig/T ${FIRST} 0 R>>`),
      ),
  },
  {
    name: "kids that fields share",
    size: 1_000,
    make: (size) =>
      form(
        references(size, FIRST + 1),
        [`[${`${FIRST + 1} 0 R `.repeat(size)}]`],
        listed(size, () => `<</Kids ${FIRST} 0 R>>`),
      ),
  },
  {
    name: "deep fields",
    size: 5_000,
    make: (size) =>
      form(
        `${FIRST} 0 R`,
        [],
        listed(size, (index) => `<</T(x)/Kids[${FIRST + index + 1} 0 R]>>`),
      ),
  },
  {
    name: "signatures",
    size: 100,
    make: (size) =>
      form(
        references(size, FIRST + 1),
        [signature],
        listed(size, () => `<</FT/Sig/T(x)/V ${FIRST} 0 R>>`),
      ),
  },
  {
    name: "many signatures",
    size: 2_000,
    make: (size) =>
      form(
        references(size, FIRST + 1),
        [signature],
        listed(size, () => `<</FT/Sig/T(x)/V ${FIRST} 0 R>>`),
      ),
  },
  {
    name: "a signature of many ranges",
    size: 20_000,
    make: (size) =>
      form(`${FIRST} 0 R`, [`<</FT/Sig/T(x)/V<</Type/Sig/ByteRange[${"0 1 ".repeat(size)}]/Contents<30>>>>>`]),
  },
  {
    name: "a signature with a long gap",
    size: 200_000,
    make: (size) =>
      form(`${FIRST} 0 R`, [
        `<</FT/Sig/T(x)/V ${FIRST + 1} 0 R>>`,
        `<</Type/Sig/SubFilter/ETSI.CAdES.detached/ByteRange[0 9 20 9]/Contents<${"30".repeat(size)}>>>`,
      ]),
  },
  {
    name: "certificates of a security store",
    size: 2_000,
    make: (size, random) => file({ catalog: `/DSS<</Certs[${"4 0 R ".repeat(size)}]>>`, content: random.bytes(1_000) }),
  },
  // Active content
  {
    name: "scripts by their names",
    size: 5_000,
    make: (size) =>
      file({ catalog: `/Names<</JavaScript<</Names[${repeated(size, (index) => `(${index})${script}`)}]>>>>` }),
  },
  {
    name: "links",
    size: 5_000,
    make: (size) => file({ page: `/Annots[${repeated(size, () => `<</Subtype/Link/A${action}>>`)}]` }),
  },
  {
    name: "links to one list of actions",
    size: 2_000,
    make: (size) =>
      file({
        page: `/Annots[${repeated(size, () => `<</Subtype/Link/A ${FIRST} 0 R>>`)}]`,
        objects: [`[${action.repeat(size)}]`],
      }),
  },
  {
    name: "actions that happen by themselves, and are shared",
    size: 2_000,
    make: (size) =>
      file({
        page: `/Annots[${repeated(size, () => `<</AA ${FIRST} 0 R>>`)}]`,
        objects: [`<<${repeated(size, (index) => `/X${index} ${FIRST + 1} 0 R`)}>>`, "<<>>"],
      }),
  },
  {
    name: "addresses that are one long string",
    size: 1_000,
    make: (size) =>
      file({
        page: `/Annots[${repeated(size, () => `<</A<</S/URI/URI ${FIRST} 0 R>>>>`)}]`,
        objects: [`(${"x".repeat(size * 10)})`],
      }),
  },
  {
    name: "actions that follow each other",
    size: 5_000,
    make: (size) =>
      file({
        page: `/Annots[<</A ${FIRST} 0 R>>]`,
        held: listed(size, (index) => `<</S/Named/Next ${FIRST + index + 1} 0 R>>`),
      }),
  },
  {
    name: "objects that the cross-reference passes over",
    size: 5_000,
    make: (size) =>
      Buffer.concat([
        Buffer.from("%PDF-1.7\n"),
        bytesOf(repeated(size, (index) => `${index + 9} 0 obj<<>>endobj\n`)),
        file({}),
      ]),
  },
];
