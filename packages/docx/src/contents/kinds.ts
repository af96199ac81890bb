import { activeContent, type DocxRefused, outsideReference, unknownContent } from "../refused.ts";

/** How a part is taken over. */
export type Treatment = "markup" | "picture" | "font";

/** A kind of part that is kept. */
export interface Kind {
  treatment: Treatment;
  /** What it is called in the package that is written; a picture's own is told by its bytes. */
  contentType: string;
  /** Whether it holds endnotes. */
  isEndnotes?: true;
}

const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml";
const DRAWING = "application/vnd.openxmlformats-officedocument.drawingml";
const OFFICE = "application/vnd.openxmlformats-officedocument";

const markup = (contentType: string): Kind => ({ treatment: "markup", contentType });
const word = (name: string): Kind => markup(`${WORD}.${name}+xml`);
const drawing = (name: string): Kind => markup(`${DRAWING}.${name}+xml`);

/** By the last word of the relationship's type, in the vocabularies of ISO/IEC 29500. */
const STANDARD: Readonly<Record<string, Kind>> = {
  officeDocument: word("document.main"),
  styles: word("styles"),
  settings: word("settings"),
  fontTable: word("fontTable"),
  numbering: word("numbering"),
  header: word("header"),
  footer: word("footer"),
  footnotes: word("footnotes"),
  endnotes: { ...word("endnotes"), isEndnotes: true },
  comments: word("comments"),
  theme: markup(`${OFFICE}.theme+xml`),
  themeOverride: markup(`${OFFICE}.themeOverride+xml`),
  chart: drawing("chart"),
  chartUserShapes: drawing("chartshapes"),
  diagramData: drawing("diagramData"),
  diagramLayout: drawing("diagramLayout"),
  diagramQuickStyle: drawing("diagramStyle"),
  diagramColors: drawing("diagramColors"),
  customXml: markup("application/xml"),
  customXmlProps: markup(`${OFFICE}.customXmlProperties+xml`),
  "extended-properties": markup(`${OFFICE}.extended-properties+xml`),
  "custom-properties": markup(`${OFFICE}.custom-properties+xml`),
  image: { treatment: "picture", contentType: "" },
  font: { treatment: "font", contentType: `${OFFICE}.obfuscatedFont` },
};

const STANDARD_PREFIXES = [
  "http://schemas.openxmlformats.org/officeDocument/2006/relationships/",
  "http://purl.oclc.org/ooxml/officeDocument/relationships/",
];

/** By the relationship's type. */
const OTHERS: Readonly<Record<string, Kind>> = {
  "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties": markup(
    "application/vnd.openxmlformats-package.core-properties+xml",
  ),
  "http://schemas.microsoft.com/office/2007/relationships/diagramDrawing": markup(
    "application/vnd.ms-office.drawingml.diagramDrawing+xml",
  ),
};

/** The kind of part that a relationship of this type leads to; undefined where nothing of it is seen. */
export const kindOf = (type: string): Kind | undefined => {
  const prefix = STANDARD_PREFIXES.find((start) => type.startsWith(start));
  const name = type.slice(prefix?.length);
  const table = prefix ? STANDARD : OTHERS;
  return Object.hasOwn(table, name) ? table[name] : undefined;
};

/** Whether a relationship is a link that a reader clicks. */
export const isHyperlink = (type: string): boolean => STANDARD_PREFIXES.some((start) => type === `${start}hyperlink`);

/** The last word of a relationship's type, in small letters: what it is about, in whatever vocabulary. */
export const subjectOf = (type: string): string => type.slice(type.lastIndexOf("/") + 1).toLowerCase();

const OUTSIDE: Readonly<Record<string, string>> = {
  image: "a picture",
  oleobject: "an OLE link",
  package: "an OLE link",
  subdocument: "a part of another document",
  afchunk: "another document",
  frame: "a page of a frame set",
  mailmergesource: "a source of data (mail merge)",
  mailmergeheadersource: "a source of data (mail merge)",
  recipientdata: "a source of data (mail merge)",
  externallinkpath: "a table",
  transform: "a transformation",
  video: "a film",
  audio: "sound",
  media: "sound or a film",
};

/** What a relationship to the outside is about, other than a hyperlink or the template it was made from. */
export const refusedOutside = (type: string): DocxRefused =>
  outsideReference(OUTSIDE[subjectOf(type)] ?? "a part of it");

const REFUSED: Readonly<Record<string, DocxRefused>> = {
  vbaproject: activeContent("macros"),
  wordvbadata: activeContent("macros"),
  control: activeContent("an ActiveX control"),
  activexcontrolbinary: activeContent("an ActiveX control"),
  afchunk: unknownContent("another document (altChunk)"),
  subdocument: unknownContent("a part of another document"),
};

/** Why a part of the package itself is refused, whatever is seen of it. */
export const refusalOf = (type: string): DocxRefused | undefined => {
  const subject = subjectOf(type);
  return Object.hasOwn(REFUSED, subject) ? REFUSED[subject] : undefined;
};
