import { damaged } from "../refused.ts";
import type { DocxBudget } from "./budget.ts";
import { PACKAGE } from "./namespaces.ts";
import { PartNames } from "./part-names.ts";
import { textOfXml } from "./text.ts";
import { attributeOf, readXml, type XmlElement } from "./xml.ts";
import { XmlWriter } from "./xml-writer.ts";

/** What kind of thing each part is said to be (ECMA-376, part 2, 7.2.3). */
export interface ContentTypes {
  /** In lower case; undefined for a part of which nothing is said. */
  of(part: string): string | undefined;
}

/** @throws {DocxRefused} */
export const readContentTypes = (bytes: Buffer, budget: DocxBudget): ContentTypes => {
  const defaults = new Map<string, string>();
  const overrides = new Map<string, string>();
  let depth = 0;
  const open = (element: XmlElement): void => {
    const isRoot = depth++ === 0;
    if (element.uri !== PACKAGE.contentTypes || (isRoot && element.local !== "Types")) {
      throw damaged("its content types cannot be read");
    }
    if (element.local !== "Default" && element.local !== "Override") return;
    const type = attributeOf(element, "ContentType")?.trim().toLowerCase();
    const about = attributeOf(element, element.local === "Default" ? "Extension" : "PartName");
    if (type === undefined || about === undefined) throw damaged("its content types cannot be read");
    if (element.local === "Default") defaults.set(about.toLowerCase(), type);
    else overrides.set(about.replace(/^[/\\]/, ""), type);
  };
  readXml(textOfXml(bytes), { open, close: () => depth--, text: () => undefined }, budget);
  const names = new PartNames(overrides.keys());
  return {
    of: (part) =>
      overrides.get(names.find(part) ?? "") ?? defaults.get(part.slice(part.lastIndexOf(".") + 1).toLowerCase()),
  };
};

/** The part that says of each part what it is. */
export const writeContentTypes = (types: ReadonlyMap<string, string>): Buffer => {
  const writer = new XmlWriter();
  writer.open("Types", [["xmlns", PACKAGE.contentTypes]], false);
  const relationships = "application/vnd.openxmlformats-package.relationships+xml";
  for (const [extension, type] of [
    ["rels", relationships],
    ["xml", "application/xml"],
  ] as const) {
    writer.open(
      "Default",
      [
        ["Extension", extension],
        ["ContentType", type],
      ],
      true,
    );
  }
  for (const [part, type] of types) {
    writer.open(
      "Override",
      [
        ["PartName", `/${part}`],
        ["ContentType", type],
      ],
      true,
    );
  }
  writer.close("Types");
  return writer.toBuffer();
};
