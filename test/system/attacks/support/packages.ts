import { crc32, deflateRawSync } from "node:zlib";
import { docxParts, paragraph, relationship } from "@rubrica/test-kit/docx";

// ZIP archives written by hand, with whatever lies they tell.

/** A part of an archive. */
export interface Entry {
  name: string;
  data: Buffer;
  /** How long it says that it is. Default: what it is. */
  statedBytes?: number;
  /** Lies where the entry before it lies. */
  overlapping?: boolean;
}

/** A part's bytes as they lie in the archive; many parts may share them. */
interface Packed {
  bytes: Buffer;
  crc: number;
}

const localHeader = (name: Buffer, packed: Packed, entry: Entry): Buffer => {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(8, 8);
  header.writeUInt32LE(packed.crc, 14);
  header.writeUInt32LE(packed.bytes.length, 18);
  header.writeUInt32LE(entry.statedBytes ?? entry.data.length, 22);
  header.writeUInt16LE(name.length, 26);
  return header;
};

const centralHeader = (local: Buffer, offset: number): Buffer => {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(20, 4);
  local.copy(header, 6, 4, 28);
  header.writeUInt32LE(offset, 42);
  return header;
};

export const zipFile = (entries: readonly Entry[]): Buffer => {
  const packedOf = new Map<Buffer, Packed>();
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let [length, lastOffset] = [0, 0];
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const packed = packedOf.get(entry.data) ?? { bytes: deflateRawSync(entry.data), crc: crc32(entry.data) };
    packedOf.set(entry.data, packed);
    const local = localHeader(name, packed, entry);
    const offset = entry.overlapping ? lastOffset : length;
    directory.push(centralHeader(local, offset), name);
    if (entry.overlapping) continue;
    lastOffset = offset;
    bodies.push(local, name, packed.bytes);
    length += local.length + name.length + packed.bytes.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 8);
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(length, 16);
  return Buffer.concat([...bodies, index, end]);
};

/** Parts by name, those of a good DOCX that are not given among them. */
export const docxFile = (
  parts: Readonly<Record<string, string | Buffer>> = {},
  further: readonly Entry[] = [],
): Buffer => {
  const all = { ...docxParts(paragraph("Lease of {nombre y apellido}")), ...parts };
  const entries = Object.entries(all).map(([name, content]) => ({ name, data: Buffer.from(content as string) }));
  return zipFile([...entries, ...further]);
};

const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const documentOf = (body: string, root = WORD): Buffer =>
  docxFile({ "word/document.xml": `<w:document ${root}><w:body>${body}</w:body></w:document>` });

/** XML that is cheap to write and may be dear to read, in a DOCX. */
export const xmlShapes: Readonly<Record<string, (size: number) => Buffer>> = {
  paragraphs: (size) => documentOf("<w:p/>".repeat(size)),
  runs: (size) => documentOf(`<w:p>${"<w:r><w:t>a</w:t></w:r>".repeat(size)}</w:p>`),
  "elements in elements": (size) => documentOf("<w:p>".repeat(size) + "</w:p>".repeat(size)),
  "elements that never end": (size) => documentOf("<w:p>".repeat(size)),
  "attributes, each another": (size) =>
    documentOf(`<w:p ${Array.from({ length: size }, (_, index) => `w:a${index}="0"`).join(" ")}/>`),
  "one attribute, again and again": (size) => documentOf(`<w:p ${'w:a="0" '.repeat(size)}/>`),
  "a long attribute": (size) => documentOf(`<w:p w:a="${"a".repeat(size)}"/>`),
  "an attribute that never ends": (size) => documentOf(`<w:p w:a="${"<w:p/>".repeat(size)}`),
  "names of spaces": (size) =>
    documentOf("", `${WORD} ${Array.from({ length: size }, (_, index) => `xmlns:n${index}="u"`).join(" ")}`),
  "references to characters": (size) => documentOf(`<w:p><w:r><w:t>${"&#97;".repeat(size)}</w:t></w:r></w:p>`),
  ampersands: (size) => documentOf(`<w:p><w:r><w:t>${"&".repeat(size)}</w:t></w:r></w:p>`),
  comments: (size) => documentOf("<!---->".repeat(size)),
  "a comment that never ends": (size) => documentOf(`<!--${"-".repeat(size)}`),
  instructions: (size) => documentOf("<?a?>".repeat(size)),
  "character data": (size) => documentOf("<![CDATA[a]]>".repeat(size)),
  "opening angle brackets": (size) => documentOf("<".repeat(size)),
  "entities of entities": (size) =>
    docxFile({
      "word/document.xml": `<!DOCTYPE d [<!ENTITY a0 "a">${Array.from({ length: size }, (_, index) => `<!ENTITY a${index + 1} "&a${index};&a${index};">`).join("")}]><w:document ${WORD}><w:body><w:p><w:r><w:t>&a${size};</w:t></w:r></w:p></w:body></w:document>`,
    }),
  placeholders: (size) => documentOf(`<w:p><w:r><w:t>${"{dni}".repeat(size)}</w:t></w:r></w:p>`),
  "placeholders that never end": (size) => documentOf(`<w:p><w:r><w:t>${"{".repeat(size)}</w:t></w:r></w:p>`),
  "a placeholder over many runs": (size) =>
    documentOf(`<w:p><w:r><w:t>{</w:t></w:r>${"<w:r><w:t>a</w:t></w:r>".repeat(size)}<w:r><w:t>}</w:t></w:r></w:p>`),
  relationships: (size) =>
    docxFile({
      "word/_rels/document.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${Array.from({ length: size }, (_, index) => relationship(`r${index}`, "hyperlink", "https://a.test/", "External")).join("")}</Relationships>`,
    }),
  fields: (size) =>
    documentOf(`<w:p>${'<w:fldSimple w:instr="PAGE"><w:r><w:t>1</w:t></w:r></w:fldSimple>'.repeat(size)}</w:p>`),
  "fields in fields": (size) =>
    documentOf(`<w:p>${'<w:r><w:fldChar w:fldCharType="begin"/></w:r>'.repeat(size)}</w:p>`),
  "tables in tables": (size) => documentOf("<w:tbl><w:tr><w:tc>".repeat(size) + "</w:tc></w:tr></w:tbl>".repeat(size)),
};

/** Archives that are cheap to write and may be dear to read. */
export const packageShapes: Readonly<Record<string, (size: number) => Buffer>> = {
  "empty parts": (size) =>
    docxFile(
      {},
      Array.from({ length: size }, (_, index) => ({ name: `word/${index}.xml`, data: Buffer.alloc(0) })),
    ),
  "parts of one name": (size) =>
    docxFile(
      {},
      Array.from({ length: size }, () => ({ name: "word/a.xml", data: Buffer.alloc(0) })),
    ),
  "parts that lie in one place": (size) => {
    const data = Buffer.alloc(1_048_576, 0x20);
    return docxFile(
      {},
      Array.from({ length: size }, (_, index) => ({ name: `word/${index}.xml`, data, overlapping: index > 0 })),
    );
  },
  "a part that inflates to much": (size) =>
    docxFile({}, [{ name: "word/media/a.bin", data: Buffer.alloc(size * 1_024) }]),
  "a part that inflates to more than it says": (size) =>
    docxFile({}, [{ name: "word/media/a.bin", data: Buffer.alloc(size * 1_024), statedBytes: 10 }]),
  "a part that says that it is large": (size) =>
    docxFile({}, [{ name: "word/media/a.bin", data: Buffer.from("a"), statedBytes: size * 1_024 }]),
  "parts with long names": (size) =>
    docxFile(
      {},
      Array.from({ length: Math.ceil(size / 100) }, (_, index) => ({
        name: `word/${index}${"/a".repeat(500)}`,
        data: Buffer.alloc(0),
      })),
    ),
};
