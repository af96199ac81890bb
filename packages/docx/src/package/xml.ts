import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from "saxes";
import { DocxRefused, damaged } from "../refused.ts";
import type { DocxBudget } from "./budget.ts";

/** Deeper than tables in tables in text boxes go. */
const MAX_DEPTH = 256;
/** Of one element; the richest that programs write have some fifty. */
const MAX_ATTRIBUTES = 256;

/** An element as parsed: names are resolved, values decoded. */
export type XmlElement = SaxesTagNS;
export type XmlAttribute = SaxesAttributeNS;

/** What a reader of XML is told, in the document's order. */
export interface XmlReader {
  open(element: XmlElement): void;
  close(element: XmlElement): void;
  text(text: string): void;
}

/**
 * Reads XML 1.0 with namespaces, strictly and in one pass; comments and processing instructions are passed over, marked
 * sections are text. A document type is refused, and with it every entity but XML's own five.
 * @throws {DocxRefused}
 */
export const readXml = (text: string, reader: XmlReader, budget: DocxBudget): void => {
  const parser = new SaxesParser({ xmlns: true, position: false, forceXMLVersion: true, defaultXMLVersion: "1.0" });
  let depth = 0;
  parser.on("error", () => {
    throw damaged("a part of it is no well-formed XML");
  });
  parser.on("doctype", () => {
    throw new DocxRefused("external_entities", "the file declares a document type or entities, which no DOCX does");
  });
  parser.on("opentag", (element) => {
    budget.takeElement();
    if (++depth > MAX_DEPTH) throw new DocxRefused("too_complex", "the file is nested too deeply to be read");
    let attributes = 0;
    for (const _ in element.attributes) {
      if (++attributes > MAX_ATTRIBUTES) throw new DocxRefused("too_complex", "the file is too complex to be read");
    }
    reader.open(element);
  });
  parser.on("closetag", (element) => {
    depth--;
    reader.close(element);
  });
  parser.on("text", (piece) => reader.text(piece));
  parser.on("cdata", (piece) => reader.text(piece));
  parser.write(text).close();
};

/** An attribute without a namespace. */
export const attributeOf = (element: XmlElement, local: string): string | undefined =>
  Object.values(element.attributes).find((attribute) => attribute.uri === "" && attribute.local === local)?.value;
