import { gzipSync } from "node:zlib";
import { docxOf, docxParts, field, paragraph, picture, pngOf, relationship, W, zipOf } from "@rubrica/test-kit/docx";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readDocx } from "../../src/contents/read-docx.ts";
import { DocxRefused } from "../../src/index.ts";

const FILE = "file:///etc/passwd";
const MARKUP = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"';
const VML = 'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"';

/** Why a file is refused, or undefined when it is not. */
const refusal = (docx: Uint8Array): string | undefined => {
  try {
    readDocx(docx);
    return undefined;
  } catch (error) {
    if (error instanceof DocxRefused) return error.reason;
    throw error;
  }
};

/** What is passed on of a file. */
const passedOn = (docx: Uint8Array): Record<string, string> =>
  Object.fromEntries([...readDocx(docx).parts].map(([name, bytes]) => [name, bytes.toString()]));

/** A file with a picture of these bytes in its text. */
const withPicture = (bytes: Buffer, name = "image1.png"): Buffer =>
  zipOf({
    ...docxParts(picture('r:embed="rId7"'), { relationships: relationship("rId7", "image", `media/${name}`) }),
    [`word/media/${name}`]: bytes,
  });

const withRelationships = (relationships: string, body = paragraph("x")): Buffer => docxOf(body, { relationships });

/** A file whose main part's relationships are this part. */
const withRels = (rels: string | Buffer): Buffer =>
  zipOf({ ...docxParts(paragraph("x")), "word/_rels/document.xml.rels": rels });

describe("relationships that lead out of the file", () => {
  test.each([
    "image",
    "oleObject",
    "package",
    "subDocument",
    "aFChunk",
    "frame",
    "mailMergeSource",
    "mailMergeHeaderSource",
    "video",
    "audio",
    "header",
    "somethingNew",
  ])("%s is refused", (type) => {
    expect(refusal(withRelationships(relationship("rId7", type, FILE, "External")))).toBe("outside_reference");
  });

  test("are named, and the document's own words are not", () => {
    expect(() => readDocx(withRelationships(relationship("rId7", "image", FILE, "External")))).toThrow(
      "the file refers to what lies outside of it: a picture",
    );
  });

  test.each([FILE, "http://127.0.0.1/x.png", "//host/share/x.png", "\\\\host\\share\\x.png", "C:\\x.png", "FiLe:/x"])(
    "%s is refused also where it is not called external",
    (target) => {
      expect(refusal(withRelationships(relationship("rId7", "image", target)))).toBe("outside_reference");
    },
  );

  test("of a part that nothing leads to, or of the file itself, are refused too", () => {
    const rels = withRels("").length > 0 ? docxParts("")["word/_rels/document.xml.rels"] : "";
    const hostile = String(rels).replace("></", `>${relationship("rId7", "frame", FILE, "External")}</`);
    expect(refusal(zipOf({ ...docxParts(paragraph("x")), "word/_rels/webSettings.xml.rels": hostile }))).toBe(
      "outside_reference",
    );
    const own = String(docxParts("")["_rels/.rels"]).replace(
      "</",
      `${relationship("rId7", "image", FILE, "External")}</`,
    );
    expect(refusal(zipOf({ ...docxParts(paragraph("x")), "_rels/.rels": own }))).toBe("outside_reference");
  });

  test("two parts with relationships of one part are refused, however their names are written", () => {
    const rels = docxParts("")["word/_rels/document.xml.rels"] ?? "";
    for (const name of [
      "word/_rels/Document.xml.rels",
      "word/_rels/document%2Exml.rels",
      "WORD/_RELS/DOCUMENT.XML.RELS",
    ])
      expect(refusal(zipOf({ ...docxParts(paragraph("x")), [name]: rels })), name).toBe("overlapping_entries");
  });

  test("however they are spelled, they are refused", () => {
    fc.assert(
      fc.property(spelledRels, (bytes) => {
        expect(refusal(withRels(bytes))).toBe("outside_reference");
      }),
      { numRuns: 300 },
    );
  });

  test("a target that a program lost leads nowhere, and the file is taken", () => {
    expect(refusal(withRelationships(relationship("rId7", "image", "NULL", "External")))).toBeUndefined();
  });
});

/** Ways to write one relationship to the outside, which XML takes for the same. */
const spelledRels = fc
  .record({
    prefix: fc.constantFrom("", "p:", "Types:", "x-1:"),
    quote: fc.constantFrom('"', "'"),
    blank: fc.constantFrom(" ", "\n", "\t ", "  \r\n"),
    order: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
    encoding: fc.constantFrom("utf8" as const, "utf16le" as const, "latin1" as const),
    mode: fc.constantFrom("External", "external", "EXTERNAL", " External "),
    escaped: fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
    before: fc.constantFrom("", "<!-- <Relationship/> -->", "<?x TargetMode='Internal'?>", "\n"),
    inner: fc.constantFrom("/>", "></ELEMENT>"),
  })
  .map(({ prefix, quote, blank, order, encoding, mode, escaped, before, inner }) => {
    const spell = (value: string) =>
      [...value]
        .map((it, at) =>
          escaped[at % escaped.length] ? `&#${at % 2 ? `x${it.charCodeAt(0).toString(16)}` : it.charCodeAt(0)};` : it,
        )
        .join("");
    const attributes = [
      ["Id", "rId7"],
      ["Type", "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"],
      ["Target", FILE],
      ["TargetMode", mode],
      ["Note", "a > b TargetMode=&quot;Internal&quot;"],
    ] as const;
    const written = order.map((at) => {
      const [name, value] = attributes[at] ?? ["", ""];
      return `${name}${blank}=${blank}${quote}${name === "Note" ? value : spell(value)}${quote}`;
    });
    const name = `${prefix}Relationship`;
    const namespace = `xmlns${prefix ? `:${prefix.slice(0, -1)}` : ""}="http://schemas.openxmlformats.org/package/2006/relationships"`;
    const declared = { utf8: "UTF-8", utf16le: "UTF-16", latin1: "ISO-8859-1" }[encoding];
    const text = `<?xml version="1.0" encoding="${declared}"?>${before}<${name}s ${namespace}>${before}<${name}${blank}${written.join(blank)}${inner.replace("ELEMENT", name)}</${name}s>`;
    return encoding === "utf16le" ? Buffer.from(`\ufeff${text}`, encoding) : Buffer.from(text, encoding);
  });

describe("fields that bring in what lies elsewhere", () => {
  const commands = ["INCLUDEPICTURE", "INCLUDETEXT", "INCLUDE", "IMPORT", "LINK", "DDE", "DDEAUTO", "DATABASE", "RD"];

  test.each(commands)("%s is refused, in whatever form", (command) => {
    const code = `${command} "${FILE}" \\d`;
    const runs = (texts: string[]) => texts.map((text) => `<w:r><w:instrText>${text}</w:instrText></w:r>`).join("");
    const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const forms = {
      "in one piece": field(code),
      "in small letters": field(code.toLowerCase()),
      "quoted, after blanks": field(` "${command}" ${FILE}`),
      "in wide letters": field(code.replace(/[A-Z]/g, (it) => String.fromCharCode(it.charCodeAt(0) + 0xfee0))),
      "with invisible characters": field(`${command[0]}\u200b${command.slice(1)} x`),
      "letter by letter": `<w:p>${mark("begin")}${runs([...code])}${mark("separate")}${mark("end")}</w:p>`,
      "over paragraphs": `<w:p>${mark("begin")}${runs([code.slice(0, 2)])}</w:p><w:p>${runs([code.slice(2)])}${mark("end")}</w:p>`,
      "in part as text": `<w:p>${mark("begin")}${runs([code.slice(0, 2)])}<w:r><w:t>${code.slice(2)}</w:t></w:r>${mark("end")}</w:p>`,
      "in a marked section": `<w:p>${mark("begin")}<w:r><w:instrText><![CDATA[${code}]]></w:instrText></w:r>${mark("end")}</w:p>`,
      "as a deleted one": `<w:p>${mark("begin")}<w:r><w:delInstrText>${code}</w:delInstrText></w:r>${mark("end")}</w:p>`,
      "within another": `<w:p>${mark("begin")}${runs(["IF 1 = 1 "])}${mark("begin")}${runs([code])}${mark("end")}${mark("end")}</w:p>`,
      "as a simple one": `<w:p><w:fldSimple w:instr="${code.replaceAll('"', "&quot;")}"/></w:p>`,
      "without an end": `<w:p>${mark("begin")}${runs([code])}${mark("separate")}</w:p>`,
      "in a text box": `<w:p><w:r><w:pict ${VML}><v:textbox><w:txbxContent>${field(code)}</w:txbxContent></v:textbox></w:pict></w:r></w:p>`,
      "in another form of it": `<w:p><w:r><mc:AlternateContent ${MARKUP}><mc:Fallback>${field(code)}</mc:Fallback></mc:AlternateContent></w:r></w:p>`,
    };
    const taken = Object.entries(forms).filter(([, body]) => refusal(docxOf(body)) !== "outside_reference");
    expect(taken.map(([form]) => form)).toEqual([]);
  });

  test("in a header, a footer, a footnote and an endnote too", () => {
    for (const kind of ["header", "footer", "footnotes", "endnotes"]) {
      const parts = docxParts(paragraph("x"), { notes: { [kind]: "y" } });
      const body = `<w:${kind} xmlns:w="${W}">${field(`INCLUDETEXT "${FILE}"`)}</w:${kind}>`;
      expect(refusal(zipOf({ ...parts, [`word/${kind}.xml`]: body })), kind).toBe("outside_reference");
    }
  });

  test("a name that is made by another field, or left open at the end of a story, is refused", () => {
    const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const piece = (text: string) => `<w:r><w:instrText>${text}</w:instrText></w:r>`;
    const nested = `<w:p>${mark("begin")}${piece("INCLUDE")}${field("QUOTE TEXT").replace(/<\/?w:p>/g, "")}${mark("end")}</w:p>`;
    const open = `<w:p><w:r><mc:AlternateContent ${MARKUP}><mc:Choice Requires="x">${mark("begin")}${piece("INCLUDE")}</mc:Choice></mc:AlternateContent></w:r>${piece("TEXT x")}</w:p>`;
    expect([nested, open].map((body) => refusal(docxOf(body)))).toEqual(["damaged", "damaged"]);
  });

  test("an instruction is passed on in one piece, as it was judged", () => {
    const body = `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PA</w:instrText></w:r><w:r><w:sym w:char="0049"/></w:r><w:r><w:t>GE</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`;
    const xml = passedOn(docxOf(body))["word/document.xml"];
    expect(xml).toContain("<w:instrText>PAGE</w:instrText>");
    expect(xml).toContain("<w:t></w:t>");
    expect(xml).not.toContain("w:sym");
  });

  test.each([
    "PAGE",
    "NUMPAGES \\* MERGEFORMAT",
    "MERGEFIELD name",
    'HYPERLINK "https://example.com"',
    "= 1 + 1",
    "REF x",
  ])("%s stays", (code) => {
    expect(refusal(docxOf(field(code)))).toBeUndefined();
  });
});

describe("what acts, or brings another document", () => {
  test.each([
    ["macros", "http://schemas.microsoft.com/office/2006/relationships/vbaProject", "active_content"],
    ["a control", "http://schemas.openxmlformats.org/officeDocument/2006/relationships/control", "active_content"],
    [
      "another document",
      "http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk",
      "unknown_content",
    ],
  ])("%s: refused", (_what, type, reason) => {
    const relationships = `<Relationship Id="rId7" Type="${type}" Target="x.bin"/>`;
    const docx = zipOf({ ...docxParts(paragraph("x"), { relationships }), "word/x.bin": Buffer.alloc(9) });
    expect(refusal(docx)).toBe(reason);
  });

  test.each([
    ['<w:altChunk r:id="rId9"/>', "unknown_content"],
    ['<w:p><w:subDoc r:id="rId9"/></w:p>', "outside_reference"],
    ['<w:p><w:r><w:control r:id="rId9"/></w:r></w:p>', "active_content"],
    ['<w:p><w:r><w:movie r:id="rId9"/></w:r></w:p>', "unknown_content"],
    ['<w:p><w:r><w:object><w:objectLink r:id="rId9"/></w:object></w:r></w:p>', "outside_reference"],
    [`<w:p><w:r><w:object ${VML}><o:OLEObject Type="Link" r:id="rId9"/></w:object></w:r></w:p>`, "outside_reference"],
    [`<w:p><w:r><w:object ${VML}><o:OLEObject Type="Embed" r:id="rId9"/></w:object></w:r></w:p>`, "unknown_content"],
    [
      `<w:p><w:r><w:pict ${VML}><v:shape><v:imagedata src="${FILE}"/></v:shape></w:pict></w:r></w:p>`,
      "outside_reference",
    ],
    [
      `<w:p><w:r><w:pict ${VML}><v:rect><v:fill type="frame" o:href="${FILE}"/></v:rect></w:pict></w:r></w:p>`,
      "outside_reference",
    ],
    ['<w:p><w:r><w:contentPart r:id="rId9"/></w:r></w:p>', "unknown_content"],
  ])("%s: refused", (body, reason) => {
    expect(refusal(docxOf(body))).toBe(reason);
    const renamed = body.replaceAll("w:", "other:").replace("<other:p", `<other:p xmlns:other="${W}"`);
    expect(refusal(docxOf(renamed.includes("xmlns:other") ? renamed : body))).toBe(reason);
  });

  test("an embedded object goes, and its picture stays", () => {
    const body = `<w:p><w:r><w:object ${VML} w:dxaOrig="9"><v:shape o:ole=""><v:imagedata r:id="rId7" o:href="cid:x"/></v:shape><o:OLEObject Type="Embed" r:id="rId8"/></w:object></w:r></w:p>`;
    const relationships =
      relationship("rId7", "image", "media/image1.png") + relationship("rId8", "oleObject", "embeddings/x.bin");
    const parts = passedOn(
      zipOf({
        ...docxParts(body, { relationships }),
        "word/media/image1.png": pngOf(),
        "word/embeddings/x.bin": Buffer.alloc(99),
      }),
    );
    expect(parts["word/document.xml"]).toMatch(
      /<w:pict [^>]*><v:shape o:ole=""><v:imagedata r:id="rId7"\/><\/v:shape><\/w:pict>/,
    );
    expect(Object.keys(parts).filter((name) => /embeddings|media/.test(name))).toEqual(["word/media/image1.png"]);
    expect(JSON.stringify(parts)).not.toMatch(/OLEObject|oleObject|cid:x/);
  });
});

describe("pictures are what their bytes are", () => {
  const svg = (inside: string) =>
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">${inside}</svg>`);

  test.each([
    ["an image by file", `<image xlink:href="${FILE}"/>`],
    ["an image by address", '<image href="http://127.0.0.1/x"/>'],
    ["an image of another prefix", `<image xmlns:y="http://www.w3.org/1999/xlink" y:href="${FILE}"/>`],
    ["a part of another", `<use xlink:href="${FILE}#a"/>`],
    ["an SVG in an SVG", '<image href="data:image/svg+xml;base64,PHN2Zy8+"/>'],
    [
      "an SVG that says that it is a PNG",
      `<image href="data:image/png;base64,${Buffer.from("<svg/>").toString("base64")}"/>`,
    ],
    ["a style", `<rect style="fill:url(${FILE})"/>`],
    ["a quoted style", `<rect fill="url( '${FILE}' )"/>`],
    ["an escaped style", '<rect style="fill:u\\72l(x)"/>'],
    ["an import", `<style>@import "${FILE}";</style>`],
    ["an import in a marked section", `<style><![CDATA[@import "${FILE}";]]></style>`],
    ["a script", "<script>x</script>"],
    ["a foreign object", "<foreignObject/>"],
    ["a later address", `<image><set attributeName="href" to="${FILE}"/></image>`],
    ["an act", '<rect onload="x()"/>'],
  ])("an SVG with %s is refused, whatever it is called", (_what, inside) => {
    for (const name of ["image1.svg", "image1.png", "image1.bin"]) {
      expect(refusal(withPicture(svg(inside), name))).toBe("outside_reference");
    }
    expect(refusal(withPicture(gzipSync(svg(inside))))).toBe("outside_reference");
    expect(refusal(withPicture(Buffer.from(`\ufeff${svg(inside)}`, "utf16le")))).toBe("outside_reference");
  });

  test("an SVG that refers to nothing but itself stays", () => {
    const inside = `<defs><linearGradient id="a"/></defs><rect fill="url(#a)"/><use xlink:href="#a"/><image href="data:image/png;base64,${pngOf().toString("base64")}"/>`;
    expect(passedOn(withPicture(svg(inside)))["word/media/image1.png"]).toContain('fill="url(#a)"');
  });

  test("an SVG beside its raster form goes, and the raster stays", () => {
    const blip = `<a:blip r:embed="rId7"><a:extLst><a:ext uri="{96DAC541-7B7A-43D3-8B79-37D633B846F1}"><asvg:svgBlip xmlns:asvg="http://schemas.microsoft.com/office/drawing/2016/SVG/main" r:embed="rId8"/></a:ext></a:extLst></a:blip>`;
    const body = picture('r:embed="rId7"').replace('<a:blip r:embed="rId7"/>', blip);
    expect(body).toContain("svgBlip");
    const relationships =
      relationship("rId7", "image", "media/image1.png") + relationship("rId8", "image", "media/image2.svg");
    const parts = passedOn(
      zipOf({
        ...docxParts(body, { relationships }),
        "word/media/image1.png": pngOf(),
        "word/media/image2.svg": svg(`<image href="${FILE}"/>`),
      }),
    );
    expect(Object.keys(parts).filter((name) => name.includes("media"))).toEqual(["word/media/image1.png"]);
    expect(JSON.stringify(parts)).not.toMatch(/svgBlip|image2/);
  });

  test.each([
    ["text", Buffer.from("hello")],
    ["a PDF", Buffer.from("%PDF-1.7\n")],
    ["PostScript", Buffer.from("%!PS-Adobe-3.0 EPSF-3.0\n")],
    ["a Photoshop file", Buffer.from("8BPS\0\x01")],
    ["another kind of XML", Buffer.from('<office:document xmlns:office="x"/>')],
    [
      "an old bitmap with an SVG in it",
      Buffer.concat([Buffer.from("BM"), Buffer.alloc(12), Buffer.from([40, 0, 0, 0]), svg("")]),
    ],
    [
      "a metafile with PostScript in it",
      Buffer.concat([Buffer.from("d7cdc69a", "hex"), Buffer.alloc(9_000), Buffer.from("%!PS")]),
    ],
  ])("%s is no picture", (_what, bytes) => {
    expect(refusal(withPicture(bytes))).toBe("unknown_content");
  });

  test("a metafile that is packed comes unpacked", () => {
    const metafile = Buffer.concat([Buffer.from("d7cdc69a", "hex"), Buffer.alloc(99)]);
    expect(readDocx(withPicture(gzipSync(metafile), "image1.wmz")).parts.get("word/media/image1.wmz")).toEqual(
      metafile,
    );
  });

  test("one that packs much into little is refused", () => {
    expect(refusal(withPicture(gzipSync(Buffer.alloc(80 * 1024 * 1024))))).toBe("too_large");
  });
});

describe("what is passed on", () => {
  test("is what something leads to, under names and with relationships of our own writing", () => {
    const rels = `<p:Relationships xmlns:p="http://schemas.openxmlformats.org/package/2006/relationships"><p:Relationship Target="../WORD/media/im%61ge%201.png" TargetMode='Internal' Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Id="rId7"/></p:Relationships>`;
    const parts = passedOn(
      zipOf({
        ...docxParts(picture('r:embed="rId7"')),
        "word/_rels/document.xml.rels": rels,
        "word/media/image 1.png": pngOf(),
        "word/vbaData.xml": "<x/>",
        "anything.bin": "x",
      }),
    );
    const [name = ""] = Object.keys(parts).filter((it) => it.endsWith(".png"));
    expect(name).toMatch(/^parts\/part\d+\.png$/);
    expect(parts["word/_rels/document.xml.rels"]).toContain(
      `<Relationship Id="rId7" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="/${name}"/>`,
    );
    expect(Object.keys(parts)).toHaveLength(5);
  });

  test("is without comments, instructions to programs, and what settings say of other files", () => {
    const settings = `<?mso-x y?><w:settings xmlns:w="${W}"><!-- c --><w:attachedTemplate/><w:mailMerge><w:connectString w:val="${FILE}"/></w:mailMerge><w:zoom/></w:settings>`;
    const parts = passedOn(
      zipOf({
        ...docxParts(paragraph("x"), { relationships: relationship("rId7", "settings", "settings.xml") }),
        "word/settings.xml": settings,
      }),
    );
    expect(parts["word/settings.xml"]).toMatch(/^<\?xml[^>]*>\n<w:settings xmlns:w="[^"]*"><w:zoom\/><\/w:settings>$/);
  });

  test("a part that is said to be two things is refused", () => {
    const relationships = relationship("rId7", "header", "header.xml") + relationship("rId8", "image", "header.xml");
    const docx = zipOf({
      ...docxParts(picture('r:embed="rId8"'), { relationships }),
      "word/header.xml": `<w:hdr xmlns:w="${W}"/>`,
    });
    expect(refusal(docx)).toBe("damaged");
  });
});

describe("bounds", () => {
  test("depth, attributes, elements and relationships", () => {
    const deep = `${"<w:p>".repeat(300)}${"</w:p>".repeat(300)}`;
    const wide = `<w:p ${Array.from({ length: 300 }, (_, at) => `a${at}=""`).join(" ")}/>`;
    const many = relationship("ID", "hyperlink", "#x").repeat(20_001);
    let next = 0;
    expect([
      refusal(docxOf(deep)),
      refusal(docxOf(wide)),
      refusal(docxOf("<w:p/>".repeat(1_000_001))),
      refusal(withRelationships(many.replace(/"ID"/g, () => `"r${next++}"`))),
    ]).toEqual(Array(4).fill("too_complex"));
  });

  test.each([
    ["fields", (size: number) => docxOf(`<w:p>${'<w:fldSimple w:instr="PAGE"/>'.repeat(size)}</w:p>`), 1_000],
    [
      "marked fields",
      (size: number) =>
        docxOf(
          `<w:p>${field("PAGE")
            .replace(/^<w:p>|<\/w:p>$/g, "")
            .repeat(size)}</w:p>`,
        ),
      1_000,
    ],
    ["characters", (size: number) => docxOf(`<w:p><w:r><w:t>${"x".repeat(size)}</w:t></w:r></w:p>`), 100_000],
  ])("a paragraph holds so many %s and no more", (what, make, most) => {
    expect(() => readDocx(make(most))).not.toThrow();
    const refused = { reason: "too_complex", message: expect.stringMatching(/a paragraph of more than [0-9]+ \w+/) };
    expect(() => readDocx(make(most + 1)), what).toThrow(expect.objectContaining(refused));
  });

  test("reading costs as much as there is to read", () => {
    // Noise only adds: the less of two measures is nearer.
    const costs = (make: (size: number) => Buffer, size: number) => {
      const docx = make(size);
      const runs = Array.from({ length: 2 }, () => {
        const before = process.cpuUsage();
        readDocx(docx);
        const { user, system } = process.cpuUsage(before);
        return user + system;
      });
      return Math.min(...runs);
    };
    const shapes: Record<string, (size: number) => Buffer> = {
      paragraphs: (size) => docxOf(paragraph("x").repeat(size)),
      "pieces of one field": (size) =>
        docxOf(field("PAGE").replace(/<w:r><w:instr.*?<\/w:r>/, (run) => run + run.replace("PAGE", "x").repeat(size))),
      "namespace declarations": (size) => docxOf('<w:p xmlns:a="x" xmlns:b="y"/>'.repeat(size)),
      references: (size) => docxOf(paragraph("&amp;".repeat(9)).repeat(size)),
      fields: (size) => docxOf(field("PAGE").repeat(size)),
      relationships: (size) =>
        withRelationships(Array.from({ length: size }, (_, at) => relationship(`r${at}`, "hyperlink", "#x")).join("")),
    };
    for (const [shape, make] of Object.entries(shapes)) {
      const size = shape === "relationships" ? 9_000 : 16_000;
      // What is compiled at the first time.
      costs(make, size / 10);
      // So far apart that no noise makes tenfold cost of what costs a hundredfold, or the other way round.
      expect(costs(make, size) / costs(make, size / 10), shape).toBeLessThan(25);
    }
  });
});
