import type { Block, Content, Text } from "../../src/layout/blocks.ts";

/** A section of a report, or of a signer within one: its title, and its lines. */
export interface SaidSection {
  title: string;
  lines: readonly string[];
}

const plain = (text: Text): string => (typeof text === "string" ? text : text.map((span) => span.text).join(""));

const linesOf = (block: Block): string[] => {
  switch (block.kind) {
    case "opening":
      return [block.title, ...block.lines.map(plain)];
    case "banner":
      return [`${block.title}. ${block.sentence}`];
    case "label":
      return [block.title];
    case "paragraph":
      return [plain(block.text)];
    case "fields":
      return block.fields.flatMap(({ label, value }) => value.map((text) => `${label}: ${plain(text)}`));
    case "table":
      return block.rows.map((row) => row.map((cell) => cell.map(plain).join(" ")).join(" | "));
    case "pictures":
      return block.pictures.map(({ caption }) => caption.map(plain).join(" | "));
    case "steps":
      return block.steps.map(({ text }) => plain(text));
    default:
      return [];
  }
};

/** All that a report says, line by line, by its sections; the first one has what stands on top. */
export const sectionsOf = ({ blocks }: Content): SaidSection[] => {
  const sections: { title: string; lines: string[] }[] = [{ title: "", lines: [] }];
  for (const block of blocks) {
    if (block.kind === "section") sections.push({ title: block.title, lines: [] });
    else if (block.kind === "subsection") sections.push({ title: block.title, lines: [plain(block.note)] });
    else sections.at(-1)?.lines.push(...linesOf(block));
  }
  return sections;
};
