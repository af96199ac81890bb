import { execFileSync } from "node:child_process";
import PizZip from "pizzip";

export const W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const WORD_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml";

export const escapeXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** A paragraph; each text is a run of its own, as Word splits them. */
export const paragraph = (...runs: string[]): string =>
  `<w:p>${runs.map((text) => `<w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r>`).join("")}</w:p>`;

/** A field as marks within the text. */
export const field = (code: string): string =>
  `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve">${escapeXml(code)}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>shown</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`;

/** A picture of an inch, whose blip has these attributes. */
export const picture = (blip: string): string => {
  const A = "http://schemas.openxmlformats.org/drawingml/2006";
  return `<w:p><w:r><w:drawing><wp:inline xmlns:wp="${A}/wordprocessingDrawing"><wp:extent cx="914400" cy="914400"/><wp:docPr id="1" name="p"/><a:graphic xmlns:a="${A}/main"><a:graphicData uri="${A}/picture"><pic:pic xmlns:pic="${A}/picture"><pic:nvPicPr><pic:cNvPr id="1" name="x"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip ${blip}/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="914400" cy="914400"/></a:xfrm><a:prstGeom prst="rect"/></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
};

/** A PNG of one red pixel. */
export const pngOf = (): Buffer =>
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==",
    "base64",
  );

/** A relationship of the document, as XML. */
export const relationship = (id: string, type: string, target: string, mode = ""): string =>
  `<Relationship Id="${id}" Type="${R}/${type}" Target="${target}"${mode && ` TargetMode="${mode}"`}/>`;

type NotePart = "header" | "footer" | "footnotes" | "endnotes";

/** The parts of a DOCX with the given body, and, by kind, the given text in further parts. */
export const docxParts = (
  body: string,
  { notes = {}, relationships = "" }: { notes?: Partial<Record<NotePart, string>>; relationships?: string } = {},
): Record<string, string | Uint8Array> => {
  const kinds = Object.keys(notes) as NotePart[];
  const overrides = kinds.map(
    (kind) => `<Override PartName="/word/${kind}.xml" ContentType="${WORD_TYPE}.${kind}+xml"/>`,
  );
  const parts: Record<string, string> = {
    "[Content_Types].xml": `<?xml version="1.0" encoding="UTF-8"?><Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${WORD_TYPE}.document.main+xml"/>${overrides.join("")}</Types>`,
    "_rels/.rels": `<Relationships xmlns="${PACKAGE}/relationships">${relationship("rId1", "officeDocument", "word/document.xml")}</Relationships>`,
    "word/_rels/document.xml.rels": `<Relationships xmlns="${PACKAGE}/relationships">${relationships}${kinds.map((kind) => relationship(`note-${kind}`, kind, `${kind}.xml`)).join("")}</Relationships>`,
    "word/document.xml": `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="${W}" xmlns:r="${R}"><w:body>${body}<w:sectPr/></w:body></w:document>`,
  };
  for (const kind of kinds) {
    parts[`word/${kind}.xml`] = `<w:${kind} xmlns:w="${W}">${paragraph(notes[kind] ?? "")}</w:${kind}>`;
  }
  return parts;
};

export const zipOf = (parts: Record<string, string | Uint8Array>): Buffer => {
  const zip = new PizZip();
  for (const [name, content] of Object.entries(parts)) zip.file(name, content);
  return zip.generate({ type: "nodebuffer", compression: "DEFLATE" });
};

export const docxOf = (...arguments_: Parameters<typeof docxParts>): Buffer => zipOf(docxParts(...arguments_));

/** The text of a part, paragraph by paragraph, as a reader would see it. */
export const textOf = (docx: Uint8Array, part = "word/document.xml"): string => {
  const xml = new PizZip(docx).file(part)?.asText() ?? "";
  const lines = xml.split("</w:p>").map((line) => line.replace(/<w:br\/>/g, "\n").replace(/<[^>]*>/g, ""));
  return lines
    .join("\n")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&")
    .trim();
};

/** The text of a PDF, or undefined where `pdftotext` is not installed. */
export const textOfPdf = (pdf: Uint8Array): string | undefined => {
  try {
    return execFileSync("pdftotext", ["-", "-"], { input: pdf, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
};
