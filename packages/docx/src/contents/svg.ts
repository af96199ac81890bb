import type { DocxBudget } from "../package/budget.ts";
import { nameOf } from "../package/namespaces.ts";
import { textOfXml } from "../package/text.ts";
import { readXml, type XmlElement } from "../package/xml.ts";
import { attributesOf, XmlWriter } from "../package/xml-writer.ts";
import { outsideReference, unknownContent } from "../refused.ts";
import { rasterTypeOf } from "./signatures.ts";

const SVG = "http://www.w3.org/2000/svg";
/** What acts, what holds other kinds of documents, and what may give an attribute another value later. */
const REFUSED_ELEMENTS: ReadonlySet<string> = new Set([
  "script",
  "handler",
  "listener",
  "foreignobject",
  "iframe",
  "embed",
  "object",
  "animate",
  "animatecolor",
  "animatemotion",
  "animatetransform",
  "set",
  "discard",
]);
const LINKS: ReadonlySet<string> = new Set(["href", "src", "base"]);
const DATA_PICTURE = /^data:image\/(?:png|jpe?g|gif);base64,([A-Za-z0-9+/=\s]*)$/i;
/** How a style reaches out; an escape could hide any of it. */
const STYLE_OUTSIDE = /@import|image-set|src\s*\(|expression|\\/i;
const STYLE_LINK = /url\s*\(\s*["']?\s*([^"')\s]*)/gi;
const REFERS = outsideReference("an SVG picture that refers to something else");

/**
 * An SVG picture that refers to nothing but its own parts and pictures within it, written anew.
 * @throws {DocxRefused} for any other.
 */
export const selfContainedSvg = (bytes: Buffer, budget: DocxBudget): Buffer => {
  budget.takeXml(bytes.length);
  const writer = new XmlWriter();
  let isRoot = true;
  let style: string[] | undefined;
  readXml(
    textOfXml(bytes),
    {
      open(element) {
        if (isRoot && (element.uri !== SVG || element.local !== "svg"))
          throw unknownContent("a picture of an unknown kind");
        isRoot = false;
        checkElement(element);
        if (element.local.toLowerCase() === "style") style = [];
        writer.open(element.name, attributesOf(element), element.isSelfClosing);
      },
      close(element) {
        if (style && element.local.toLowerCase() === "style") {
          checkStyle(style.join(""));
          style = undefined;
        }
        if (!element.isSelfClosing) writer.close(element.name);
      },
      text(text) {
        style?.push(text);
        writer.text(text);
      },
    },
    budget,
  );
  return writer.toBuffer();
};

const checkElement = (element: XmlElement): void => {
  if (REFUSED_ELEMENTS.has(element.local.toLowerCase())) throw REFERS;
  for (const attribute of Object.values(element.attributes)) {
    if (nameOf(attribute).startsWith("xmlns:")) continue;
    const local = attribute.local.toLowerCase();
    if (local.startsWith("on")) throw REFERS;
    if (LINKS.has(local)) checkLink(attribute.value);
    else checkStyle(attribute.value);
  }
};

const checkLink = (value: string): void => {
  const link = value.trim();
  if (link === "" || link.startsWith("#")) return;
  const data = DATA_PICTURE.exec(link)?.[1];
  if (data === undefined || rasterTypeOf(Buffer.from(data, "base64")) === undefined) throw REFERS;
};

const checkStyle = (style: string): void => {
  if (STYLE_OUTSIDE.test(style)) throw REFERS;
  for (const [, link = ""] of style.matchAll(STYLE_LINK)) {
    if (!link.startsWith("#")) throw REFERS;
  }
};
