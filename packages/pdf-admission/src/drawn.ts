import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { FontSubsets, prepareShaping, type Run, runsOf, widthOfRuns } from "@rubrica/pdf-drawing/text";
import type { Mark } from "@rubrica/pdf-reading/annotations/marks";
import type { Written } from "@rubrica/pdf-reading/annotations/written";
import { TooComplex } from "@rubrica/pdf-reading/faults";
import { type PDFContext, type PDFDict, PDFName, type PDFRef } from "pdf-lib";

/** An annotation in the file that is written, and what it says. */
export interface ToDraw {
  annotation: PDFDict;
  written: Written;
}

interface Line {
  runs: readonly Run[];
  width: number;
  isChosen?: boolean;
}

/** Sizes of text that is set as fits, and the least that text is set in where it would not fit otherwise. */
const SIZES = [12, 11, 10, 9, 8, 7, 6, 5, 4] as const;
const [LEAST_SIZE, LARGEST_SIZE] = [4, 1_000];
const LEADING = 1.2;
/** From a line's baseline to its bottom, of its size. */
const DESCENT = 0.25;
const MARGIN = 2;
const MAX_CHARACTERS = 1_000_000;
/** Between words, for the size of 1. */
const SPACE = 0.26;
/** Below an option that is chosen. */
const CHOSEN = "0.6 0.757 0.855 rg";

/** Gives annotations an appearance each of what they say, the same for all readers. */
export const drawAll = async (context: PDFContext, all: readonly ToDraw[]): Promise<void> => {
  const texts = all.map(({ written }) => written.text);
  const marks = all.map(({ written }) => written.mark?.path ?? "");
  if ([...texts, ...marks].reduce((sum, { length }) => sum + length, 0) > MAX_CHARACTERS)
    throw new TooComplex("its fields and notes say too much");
  const fonts = new FontSubsets(tagOf(texts));
  const contents: string[] = [];
  for (const { written } of all) contents.push(await contentOf(written, fonts));
  const embedded = await fonts.embed(context);
  for (const [index, { annotation, written }] of all.entries()) {
    const form = formOf(context, written, contents[index] ?? "", embedded);
    annotation.set(PDFName.of("AP"), context.obj({ N: form }));
  }
};

/** Six capital letters out of what is drawn (ISO 32000-2, 9.9.2). */
const tagOf = (texts: readonly string[]): string => {
  const hash = createHash("sha256").update(JSON.stringify(texts)).digest();
  return Array.from(hash.subarray(0, 6), (byte) => String.fromCharCode(65 + (byte % 26))).join("");
};

const formOf = (context: PDFContext, written: Written, content: string, fonts: ReadonlyMap<string, PDFRef>): PDFRef => {
  const [width, height] = boxOf(written);
  return context.register(
    context.stream(deflateSync(Buffer.from(content, "latin1")), {
      Type: "XObject",
      Subtype: "Form",
      BBox: [0, 0, width, height],
      Matrix: [...matrixOf(written)],
      Filter: "FlateDecode",
      Resources: {
        Font: Object.fromEntries(fonts),
        ExtGState: { opacity: { Type: "ExtGState", ...lookOf(written) } },
      },
    }),
  );
};

const lookOf = ({ opacity, mark }: Written): Record<string, number | string> => ({
  CA: opacity,
  ca: opacity,
  ...(mark?.isSeenThrough ? { BM: "Multiply" } : {}),
});

const isUpright = ({ rotation }: Written): boolean => rotation !== 90 && rotation !== 270;
const boxOf = (written: Written): readonly [number, number] =>
  isUpright(written) ? [written.width, written.height] : [written.height, written.width];

/** Readers put the turned box into the rectangle; where to is theirs. */
const matrixOf = ({ rotation }: Written): readonly number[] => {
  if (rotation === 90) return [0, 1, -1, 0, 0, 0];
  if (rotation === 180) return [-1, 0, 0, -1, 0, 0];
  return rotation === 270 ? [0, -1, 1, 0, 0, 0] : [1, 0, 0, 1, 0, 0];
};

const contentOf = async (written: Written, fonts: FontSubsets): Promise<string> => {
  const [width, height] = boxOf(written);
  const { ground, border } = written;
  const borderWidth = Math.min(written.borderWidth, width / 4, height / 4);
  const inner = `${n(borderWidth / 2)} ${n(borderWidth / 2)} ${n(width - borderWidth)} ${n(height - borderWidth)} re`;
  return [
    "q /opacity gs",
    ground === null ? "" : `${colored(ground, ["g", "rg", "k"])} 0 0 ${n(width)} ${n(height)} re f`,
    border === null || borderWidth === 0 ? "" : `${colored(border, ["G", "RG", "K"])} ${n(borderWidth)} w ${inner} S`,
    written.isChecked ? `${colored(written.color, ["G", "RG", "K"])} 1 w ${crossIn(width, height)}` : "",
    written.mark === null ? "" : markOf(written.mark),
    written.text.trim() === "" ? "" : await textIn(written, fonts),
    "Q",
  ].join("\n");
};

const markOf = ({ path, fill, stroke, width }: Mark): string =>
  [
    fill === null ? "" : colored(fill, ["g", "rg", "k"]),
    stroke === null ? "" : `${colored(stroke, ["G", "RG", "K"])} ${n(width)} w`,
    path,
    fill === null ? (stroke === null ? "n" : "S") : stroke === null ? "f" : "B",
  ].join(" ");

const crossIn = (width: number, height: number): string => {
  const [left, bottom, right, top] = [width * 0.2, height * 0.2, width * 0.8, height * 0.8].map(n);
  return `${left} ${bottom} m ${right} ${top} l ${left} ${top} m ${right} ${bottom} l S`;
};

const textIn = async (written: Written, fonts: FontSubsets): Promise<string> => {
  await prepareShaping(written.text);
  const [width, height] = boxOf(written);
  const margin = Math.min(MARGIN + (written.border === null ? 0 : written.borderWidth), width / 4, height / 4);
  const area = { width: width - 2 * margin, height: height - 2 * margin };
  const { lines, size } = written.hasLines ? inLines(written, area) : onOneLine(written, area);
  const top = written.hasLines ? height - margin - size * (1 - DESCENT) : (height - size) / 2 + size * DESCENT;
  const operators = [`${colored(written.color, ["g", "rg", "k"])}`];
  for (const [index, line] of lines.entries()) {
    const baseline = top - index * size * LEADING;
    if (baseline < -size) break;
    if (line.isChosen) operators.push(barAt(margin, baseline - size * DESCENT, area.width, size * LEADING));
    operators.push(await shown(line, margin, area.width, baseline, size, written, fonts));
  }
  return operators.join("\n");
};

const barAt = (left: number, bottom: number, width: number, height: number): string =>
  `q ${CHOSEN} ${n(left)} ${n(bottom)} ${n(width)} ${n(height)} re f Q`;

const shown = async (
  line: Line,
  margin: number,
  width: number,
  baseline: number,
  size: number,
  { alignment, cells, text }: Written,
  fonts: FontSubsets,
): Promise<string> => {
  const at = async (x: number, runs: readonly Run[]) =>
    `BT 1 0 0 1 ${n(x)} ${n(baseline)} Tm ${await fonts.show(runs, size)} ET`;
  if (cells === 0) {
    const left = width - line.width * size;
    return at(margin + (alignment === 2 ? left : alignment === 1 ? left / 2 : 0), line.runs);
  }
  const cell = (width + 2 * margin) / cells;
  const drawn: string[] = [];
  for (const [index, character] of [...text].entries()) {
    const one = lineOf(character);
    drawn.push(await at(cell * (index + 0.5) - (one.width * size) / 2, one.runs));
  }
  return drawn.join("\n");
};

interface Area {
  width: number;
  height: number;
}

const onOneLine = ({ text, size, cells }: Written, area: Area): { lines: Line[]; size: number } => {
  const line = lineOf(text);
  const wanted = size === 0 ? Math.min(SIZES[0], area.height / LEADING) : Math.min(size, area.height + 2 * MARGIN);
  const fitting = cells > 0 || line.width === 0 ? wanted : Math.min(wanted, area.width / line.width);
  return { lines: [line], size: sizeOf(fitting) };
};

/** What nobody can read is not hidden from those who look at the page. */
const sizeOf = (wanted: number): number => Math.min(Math.max(wanted, LEAST_SIZE), LARGEST_SIZE);

/** Lines in the largest size in which all of them can be seen; of options for which there is no space, those that are chosen. */
const inLines = ({ text, size, chosen }: Written, area: Area): { lines: Line[]; size: number } => {
  const all = text.split(/\r\n?|\n/).map((line, index) => ({ words: wordsOf(line), isChosen: chosen.has(index) }));
  const most = size === 0 ? SIZES[0] : sizeOf(size);
  const sizes = [most, ...SIZES.filter((one) => one < most)];
  const set = (paragraphs: typeof all, one: number) =>
    paragraphs.flatMap(({ words, isChosen }) =>
      broken(words, area.width / one).map((line) => ({ text: line, isChosen })),
    );
  const linesAt = (one: number) => area.height / (one * LEADING);
  const fits = (paragraphs: typeof all, one: number) => set(paragraphs, one).length <= linesAt(one);
  const shown = chosen.size === 0 || fits(all, most) ? all : all.filter(({ isChosen }) => isChosen);
  const found = sizes.find((one) => fits(shown, one)) ?? sizes.at(-1) ?? most;
  const seen = set(shown, found).slice(0, Math.ceil(linesAt(found)) + 1);
  return { lines: seen.map((line) => ({ ...lineOf(line.text), isChosen: line.isChosen })), size: found };
};

/** Widths are for the size of 1. */
interface Word {
  text: string;
  width: number;
  /** Of one that was too long for a line. */
  characters?: readonly { text: string; width: number }[];
}

const wordsOf = (paragraph: string): Word[] =>
  paragraph
    .split(/\s+/u)
    .filter((word) => word !== "")
    .map(measured);

const measured = (text: string): Word => ({ text, width: lineOf(text).width });

/** Words in lines of a width, for the size of 1; what is too long for a line is broken between characters. */
const broken = (words: readonly Word[], lineWidth: number): string[] => {
  const lines: string[][] = [[]];
  let left = lineWidth;
  const add = ({ text, width }: Word) => {
    if (width > left && lines.at(-1)?.length !== 0) {
      lines.push([]);
      left = lineWidth;
    }
    lines.at(-1)?.push(text);
    left -= width + SPACE;
  };
  for (const word of words) for (const part of word.width <= lineWidth ? [word] : partsOf(word, lineWidth)) add(part);
  return lines.map((line) => line.join(" "));
};

const partsOf = (word: Word, lineWidth: number): Word[] => {
  word.characters ??= Array.from(word.text, measured);
  const parts: Word[] = [];
  let part = { text: "", width: 0 };
  for (const { text, width } of word.characters) {
    if (part.text !== "" && part.width + width > lineWidth) {
      parts.push(part);
      part = { text: "", width: 0 };
    }
    part.text += text;
    part.width += width;
  }
  return [...parts, part];
};

/** Its width is for the size of 1. */
const lineOf = (text: string): Line => {
  const runs = runsOf(text, "regular");
  return { runs, width: widthOfRuns(runs, 1) };
};

const colored = (
  components: readonly number[],
  operators: readonly [gray: string, rgb: string, cmyk: string],
): string =>
  `${components.map((one) => n(Math.min(Math.max(one, 0), 1))).join(" ")} ${operators[components.length === 1 ? 0 : components.length === 3 ? 1 : 2]}`;

/** Beyond that, what JavaScript writes is no number of a PDF. */
const LARGEST = 1e9;
const n = (value: number): string => String(Math.round(Math.min(Math.max(value, -LARGEST), LARGEST) * 1_000) / 1_000);
