import { type DocxRefused, damaged } from "../refused.ts";
import type { DocxBudget } from "./budget.ts";
import { PACKAGE } from "./namespaces.ts";
import { textOfXml } from "./text.ts";
import { attributeOf, readXml, type XmlElement } from "./xml.ts";
import { XmlWriter } from "./xml-writer.ts";

/** A relationship of a part, or of the package (ECMA-376, part 2, 6.5). */
export interface Relationship {
  id: string;
  type: string;
  target: string;
  isExternal: boolean;
}

/** @throws {DocxRefused} */
export const readRelationships = (bytes: Buffer, budget: DocxBudget): Relationship[] => {
  const relationships = new Map<string, Relationship>();
  let depth = 0;
  const open = (element: XmlElement): void => {
    const expected = depth++ === 0 ? "Relationships" : "Relationship";
    if (element.uri !== PACKAGE.relationships || element.local !== expected || depth > 2) throw unreadable();
    if (depth === 1) return;
    const relationship = toRelationship(element);
    if (relationships.has(relationship.id)) throw unreadable();
    budget.takeRelationship();
    relationships.set(relationship.id, relationship);
  };
  readXml(textOfXml(bytes), { open, close: () => depth--, text: () => undefined }, budget);
  return [...relationships.values()];
};

const unreadable = (): DocxRefused => damaged("its relationships cannot be read");

const toRelationship = (element: XmlElement): Relationship => {
  const [id, type, target] = ["Id", "Type", "Target"].map((name) => attributeOf(element, name)?.trim());
  const mode = (attributeOf(element, "TargetMode") ?? "Internal").trim().toLowerCase();
  if (!id || !type || target === undefined || (mode !== "internal" && mode !== "external")) throw unreadable();
  return { id, type, target, isExternal: mode === "external" };
};

export const writeRelationships = (relationships: Iterable<Relationship>): Buffer => {
  const writer = new XmlWriter();
  writer.open("Relationships", [["xmlns", PACKAGE.relationships]], false);
  for (const { id, type, target, isExternal } of relationships) {
    const attributes: [string, string][] = [
      ["Id", id],
      ["Type", type],
      ["Target", target],
    ];
    if (isExternal) attributes.push(["TargetMode", "External"]);
    writer.open("Relationship", attributes, true);
  }
  writer.close("Relationships");
  return writer.toBuffer();
};
