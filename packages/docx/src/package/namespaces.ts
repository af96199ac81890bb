/** Vocabularies by a short name; transitional and strict ones (ISO/IEC 29500, parts 1 and 4) are one. */
export type Vocabulary =
  | "word"
  | "relationships"
  | "drawing"
  | "chart"
  | "vml"
  | "office"
  | "compatibility"
  | "svg-blip"
  | "word-2010"
  | "web-video"
  | "xml"
  | "xmlns"
  | "instance";

const VOCABULARIES: ReadonlyMap<string, Vocabulary> = new Map([
  ["http://schemas.openxmlformats.org/wordprocessingml/2006/main", "word"],
  ["http://purl.oclc.org/ooxml/wordprocessingml/main", "word"],
  ["http://schemas.openxmlformats.org/officeDocument/2006/relationships", "relationships"],
  ["http://purl.oclc.org/ooxml/officeDocument/relationships", "relationships"],
  ["http://schemas.openxmlformats.org/drawingml/2006/main", "drawing"],
  ["http://purl.oclc.org/ooxml/drawingml/main", "drawing"],
  ["http://schemas.openxmlformats.org/drawingml/2006/chart", "chart"],
  ["http://purl.oclc.org/ooxml/drawingml/chart", "chart"],
  ["urn:schemas-microsoft-com:vml", "vml"],
  ["urn:schemas-microsoft-com:office:office", "office"],
  ["http://schemas.openxmlformats.org/markup-compatibility/2006", "compatibility"],
  ["http://schemas.microsoft.com/office/drawing/2016/SVG/main", "svg-blip"],
  ["http://schemas.microsoft.com/office/word/2010/wordml", "word-2010"],
  ["http://schemas.microsoft.com/office/word/2012/wordprocessingDrawing", "web-video"],
  ["http://www.w3.org/XML/1998/namespace", "xml"],
  ["http://www.w3.org/2000/xmlns/", "xmlns"],
  ["http://www.w3.org/2001/XMLSchema-instance", "instance"],
]);

/** Names that were told before: a document repeats a few. */
const NAMES = new Map([...VOCABULARIES.keys()].map((uri) => [uri, new Map<string, string>()]));
const MAX_NAMES = 4_096;

/** A name as `vocabulary:local`; `:local` where it has no namespace, and empty where it is of another. */
export const nameOf = ({ uri, local }: { uri: string; local: string }): string => {
  const names = NAMES.get(uri);
  if (!names) return uri === "" ? `:${local}` : "";
  const known = names.get(local);
  if (known !== undefined) return known;
  const name = `${VOCABULARIES.get(uri)}:${local}`;
  if (names.size < MAX_NAMES) names.set(local, name);
  return name;
};

/** Of the package's own parts (ECMA-376, part 2). */
export const PACKAGE = {
  relationships: "http://schemas.openxmlformats.org/package/2006/relationships",
  contentTypes: "http://schemas.openxmlformats.org/package/2006/content-types",
} as const;
