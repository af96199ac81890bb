import { crc32, deflateRawSync } from "node:zlib";
import { createHelperBudget } from "@rubrica/helpers";
import { systemClock } from "@rubrica/runtime";
import { docxOf, docxParts, paragraph, zipOf } from "@rubrica/test-kit/docx";
import { afterAll, describe, expect, test } from "vitest";
import { DocxRefused, openDocxTemplates } from "../../src/index.ts";

const templates = openDocxTemplates({
  clock: systemClock,
  budget: createHelperBudget({ clock: systemClock, totalMb: 600 }),
});
afterAll(() => templates.close());

/** Why a file is refused, or undefined when it is not. */
const refusal = (docx: Uint8Array) =>
  templates.inspect(docx, "account:a").then(
    () => undefined,
    (error: unknown) => (error instanceof DocxRefused ? error.reason : error),
  );

const docx = docxOf(paragraph("Hola"));

interface RawEntry {
  name: string;
  packed: Buffer;
  inflatedBytes: number;
  crc?: number;
  flags?: number;
  /** A place among other entries' bytes, instead of one of its own. */
  at?: number;
}

/** A ZIP written by hand, with whatever lies a bomb would tell. */
const rawZip = (entries: readonly RawEntry[]): Buffer => {
  const chunks: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, packed, inflatedBytes, crc = 0, flags = 0, at } of entries) {
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(8, 8);
    local.writeUInt16LE(name.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(flags, 8);
    central.writeUInt16LE(8, 10);
    central.writeUInt32LE(crc, 16);
    central.writeUInt32LE(packed.length, 20);
    central.writeUInt32LE(inflatedBytes, 24);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE(at ?? offset, 42);
    directory.push(central, Buffer.from(name));
    if (at !== undefined) continue;
    chunks.push(local, Buffer.from(name), packed);
    offset += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...chunks, ...directory, end]);
};

const entry = (name: string, plain: Buffer, more: Partial<RawEntry> = {}): RawEntry => ({
  name,
  packed: deflateRawSync(plain),
  inflatedBytes: plain.length,
  crc: crc32(plain),
  ...more,
});

const minimal = Object.entries(docxParts(paragraph("Hola"))).map(([name, xml]) => entry(name, Buffer.from(xml)));

describe("taken", () => {
  test("a DOCX, one written by hand, and one with bytes after its end", async () => {
    expect(await refusal(docx)).toBeUndefined();
    expect(await refusal(rawZip(minimal))).toBeUndefined();
    expect(await refusal(Buffer.concat([docx, Buffer.from("\n")]))).toBeUndefined();
  });
});

describe("refused", () => {
  test.each([
    ["nothing", Buffer.alloc(0), "not_docx"],
    ["a PDF", Buffer.from("%PDF-1.7\n"), "not_docx"],
    ["a ZIP that is no DOCX", zipOf({ "readme.txt": "x" }), "not_docx"],
    [
      "a spreadsheet",
      zipOf({
        "[Content_Types].xml":
          '<Override ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>',
      }),
      "not_docx",
    ],
    ["an OLE2 file", Buffer.from("d0cf11e0a1b11ae1000000", "hex"), "encrypted"],
    ["a ZIP with a password", rawZip([...minimal, entry("x", Buffer.from("x"), { flags: 1 })]), "encrypted"],
    ["half a file", docx.subarray(0, docx.length / 2), "damaged"],
    ["a part that leaves the package", rawZip([...minimal, entry("../x", Buffer.from("x"))]), "damaged"],
    ["a part of another checksum", rawZip([...minimal, entry("x", Buffer.from("x"), { crc: 7 })]), "damaged"],
    [
      "a part that is longer than it says",
      rawZip([...minimal, entry("x", Buffer.alloc(99), { inflatedBytes: 9 })]),
      "damaged",
    ],
    [
      "a part that is shorter than it says",
      rawZip([...minimal, entry("x", Buffer.alloc(9), { inflatedBytes: 99 })]),
      "damaged",
    ],
  ])("%s", async (_what, bytes, reason) => {
    expect(await refusal(bytes)).toBe(reason);
  });

  test("random bytes of a file changed: refused or taken, never a fault", async () => {
    for (let at = 0; at < docx.length; at += 7) {
      const changed = Buffer.from(docx);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      const reason = await refusal(changed);
      expect(reason === undefined || typeof reason === "string", `byte ${at}: ${String(reason)}`).toBe(true);
    }
  });
});

describe("bombs", () => {
  test("an entry whose bytes are another entry, header and all", async () => {
    const inner = entry("inner", Buffer.alloc(1_000_000));
    const record = rawZip([inner]).subarray(0, 30 + inner.name.length + inner.packed.length);
    const outer = { name: "outer", packed: record, inflatedBytes: 1_000_000 };
    const overlapping = { ...inner, at: 30 + outer.name.length };
    expect(await refusal(rawZip([outer, overlapping, ...minimal]))).toBe("overlapping_entries");
  });

  test("two entries of one name", async () => {
    expect(await refusal(rawZip([...minimal, entry("x", Buffer.from("1")), entry("x", Buffer.from("2"))]))).toBe(
      "overlapping_entries",
    );
  });

  test("more parts than any document has", async () => {
    const many = Array.from({ length: 2_001 }, (_, number) => entry(`p${number}`, Buffer.alloc(0)));
    expect(await refusal(rawZip([...minimal, ...many]))).toBe("too_many_entries");
  });

  test("parts that say that they inflate to more than a document may", async () => {
    const part = entry("a", Buffer.alloc(40_000_000));
    expect(await refusal(rawZip([...minimal, part, { ...part, name: "b" }, { ...part, name: "c" }]))).toBe("too_large");
  });

  test("a part that says that it is small, and inflates to 200 MB", async () => {
    const liar = entry("a", Buffer.alloc(200_000_000), { inflatedBytes: 1_000 });
    expect(await refusal(rawZip([...minimal, liar]))).toBe("damaged");
  });

  test("more text than an office program takes", async () => {
    expect(await refusal(docxOf(" ".repeat(40_000_000)))).toBe("too_large");
  });
});

describe("entities", () => {
  const withDocument = (document: string | Uint8Array) =>
    zipOf({ ...docxParts(paragraph("Hola")), "word/document.xml": document });
  const hostile = `<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document>&x;</w:document>`;

  test.each([
    ["in UTF-8", Buffer.from(`<?xml version="1.0"?>${hostile}`)],
    ["in UTF-8 with a mark", Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-8"?>${hostile}`)],
    ["in UTF-16LE", Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${hostile}`, "utf16le")],
    ["in UTF-16BE", Buffer.from(`\ufeff<?xml version="1.0"?>${hostile}`, "utf16le").swap16()],
    ["in UTF-16LE without a mark", Buffer.from(`<?xml version="1.0" encoding="UTF-16"?>${hostile}`, "utf16le")],
  ])("a document type %s is refused", async (_encoding, document) => {
    expect(await refusal(withDocument(document))).toBe("external_entities");
  });

  test("in a relationships part too", async () => {
    const parts = docxParts(paragraph("Hola"));
    expect(await refusal(zipOf({ ...parts, "_rels/.rels": hostile + parts["_rels/.rels"] }))).toBe("external_entities");
  });

  test("an encoding in which one could hide is refused", async () => {
    expect(await refusal(withDocument('<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE'))).toBe("damaged");
  });
});
