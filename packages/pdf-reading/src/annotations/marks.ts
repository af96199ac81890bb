import { PDFArray, type PDFDict, PDFName, PDFNumber, type PDFObject } from "pdf-lib";
import type { PdfFile } from "../pdf-file.ts";
import { sidesOf } from "./appearances.ts";

/**
 * Lines and marks without an appearance: readers draw them by what else they say, some of them, with other widths, sides,
 * dashes and ends, so that one hides what another shows. They are drawn in the plainest way, within their rectangle.
 */
export interface Mark {
  /** Operators, from the lower left corner of the rectangle. */
  path: string;
  stroke: readonly number[] | null;
  fill: readonly number[] | null;
  width: number;
  /** Whether it colors what is below, as a pen for marking does. */
  isSeenThrough: boolean;
}

type Point = readonly [x: number, y: number];
interface Canvas {
  dict: PDFDict;
  file: PdfFile;
  width: number;
  height: number;
  at: (x: number, y: number) => string;
}

const MAX_NUMBERS = 20_000;
const [BLACK, YELLOW] = [[0], [1, 1, 0]];
/** How far the handles of a quarter of a circle reach, of its radius. */
const HANDLE = 0.5523;

/** What is drawn of a line or a mark; null where nothing says where. */
export const markIn = (dict: PDFDict, subtype: PDFObject | undefined, file: PdfFile): Mark | null => {
  const path = subtype instanceof PDFName ? paths.get(subtype) : undefined;
  const [left, bottom, right, top] = sidesOf(file.entry(dict, "Rect"), file) ?? [0, 0, 0, 0];
  const size = { width: Math.abs(right - left), height: Math.abs(top - bottom) };
  const at = (x: number, y: number) => `${n(x - Math.min(left, right))} ${n(y - Math.min(bottom, top))}`;
  const drawn = path?.({ dict, file, ...size, at }) ?? "";
  if (drawn === "") return null;
  const isSeenThrough = subtype === HIGHLIGHT;
  const fill = isSeenThrough
    ? (colorIn(dict, "C", file) ?? YELLOW)
    : isFilled(subtype)
      ? colorIn(dict, "IC", file)
      : null;
  const stroke = isSeenThrough ? null : (colorIn(dict, "C", file) ?? (fill === null ? BLACK : null));
  const width = Math.min(widthIn(dict, file), size.width / 2, size.height / 2);
  return { path: drawn, fill, stroke: width === 0 ? null : stroke, width, isSeenThrough };
};

const key = (name: string) => PDFName.of(name);
const HIGHLIGHT = key("Highlight");
const isFilled = (subtype: PDFObject | undefined): boolean =>
  ["Square", "Circle", "Polygon"].some((name) => subtype === key(name));

const numbersIn = (value: PDFObject | undefined, file: PdfFile): number[] => {
  const items = value instanceof PDFArray ? value.asArray().slice(0, MAX_NUMBERS) : [];
  return items
    .map((item) => file.resolve(item))
    .flatMap((item) => (item instanceof PDFNumber ? [item.asNumber()] : []));
};

const colorIn = (dict: PDFDict, name: string, file: PdfFile): readonly number[] | null => {
  const components = numbersIn(file.entry(dict, name), file);
  return [1, 3, 4].includes(components.length) ? components : null;
};

const widthIn = (dict: PDFDict, file: PdfFile): number => {
  const border = file.resolve(file.arrayEntry(dict, "Border")?.asArray()[2]);
  const given =
    file.numberEntry(file.dictEntry(dict, "BS"), "W") ?? (border instanceof PDFNumber ? border.asNumber() : 1);
  return Math.max(given, 0);
};

const pointsIn = (value: PDFObject | undefined, file: PdfFile): Point[] => {
  const numbers = numbersIn(value, file);
  return Array.from({ length: numbers.length >> 1 }, (_, index) => [
    numbers[index * 2] ?? 0,
    numbers[index * 2 + 1] ?? 0,
  ]);
};

const lines = (points: readonly Point[], { at }: Canvas): string =>
  points.length < 2 ? "" : points.map(([x, y], index) => `${at(x, y)} ${index === 0 ? "m" : "l"}`).join(" ");

const ofEntry =
  (name: string, isClosed = false) =>
  (canvas: Canvas): string => {
    const drawn = lines(pointsIn(canvas.file.entry(canvas.dict, name), canvas.file), canvas);
    return drawn !== "" && isClosed ? `${drawn} h` : drawn;
  };

const strokes = (canvas: Canvas): string => {
  const lists = canvas.file.arrayEntry(canvas.dict, "InkList")?.asArray() ?? [];
  return lists
    .map((list) => lines(pointsIn(canvas.file.resolve(list), canvas.file), canvas))
    .join(" ")
    .trim();
};

/** Within the line and what the rectangle leaves around it. */
const insideOf = ({ dict, file, width, height }: Canvas): readonly [number, number, number, number] => {
  const [left = 0, bottom = 0, right = 0, top = 0] = numbersIn(file.entry(dict, "RD"), file);
  const half = Math.min(widthIn(dict, file), width / 2, height / 2) / 2;
  const [x, y] = [left + half, bottom + half];
  const [w, h] = [width - right - half - x, height - top - half - y];
  return w > 0 && h > 0 ? [x, y, w, h] : [half, half, width - 2 * half, height - 2 * half];
};

const rectangle = (canvas: Canvas): string => `${insideOf(canvas).map(n).join(" ")} re`;

const ellipse = (canvas: Canvas): string => {
  const [x, y, w, h] = insideOf(canvas);
  const [middleX, middleY, handleX, handleY] = [x + w / 2, y + h / 2, (w / 2) * HANDLE, (h / 2) * HANDLE];
  const curve = (...values: number[]) => `${values.map(n).join(" ")} c`;
  return [
    `${n(x)} ${n(middleY)} m`,
    curve(x, middleY + handleY, middleX - handleX, y + h, middleX, y + h),
    curve(middleX + handleX, y + h, x + w, middleY + handleY, x + w, middleY),
    curve(x + w, middleY - handleY, middleX + handleX, y, middleX, y),
    curve(middleX - handleX, y, x, middleY - handleY, x, middleY),
    "h",
  ].join(" ");
};

/** Around words: readers disagree on the order of the corners. */
const ofQuads =
  (draw: (left: number, bottom: number, right: number, top: number, canvas: Canvas) => string) =>
  (canvas: Canvas): string => {
    const points = pointsIn(canvas.file.entry(canvas.dict, "QuadPoints"), canvas.file);
    const quads = Array.from({ length: points.length >> 2 }, (_, index) => points.slice(index * 4, index * 4 + 4));
    const drawn = quads.map((quad) => {
      const [across, up] = [quad.map(([x]) => x), quad.map(([, y]) => y)];
      return draw(Math.min(...across), Math.min(...up), Math.max(...across), Math.max(...up), canvas);
    });
    return drawn.join(" ");
  };

const lineAt = (share: number) =>
  ofQuads((left, bottom, right, top, canvas) => {
    const y = bottom + (top - bottom) * share;
    return lines(
      [
        [left, y],
        [right, y],
      ],
      canvas,
    );
  });

const paths = new Map<PDFName, (canvas: Canvas) => string>(
  Object.entries({
    Line: ofEntry("L"),
    PolyLine: ofEntry("Vertices"),
    Polygon: ofEntry("Vertices", true),
    Ink: strokes,
    Square: rectangle,
    Circle: ellipse,
    Highlight: ofQuads(
      (left, bottom, right, top, { at }) => `${at(left, bottom)} ${n(right - left)} ${n(top - bottom)} re`,
    ),
    Underline: lineAt(0.08),
    Squiggly: lineAt(0.08),
    StrikeOut: lineAt(0.5),
  }).map(([name, path]) => [key(name), path] as const),
);

/** Whether annotations of a kind are lines or marks. */
export const isMark = (subtype: PDFObject | undefined): boolean => paths.has(subtype as PDFName);

/** Beyond that, what JavaScript writes is no number of a PDF. */
const LARGEST = 1e9;
const n = (value: number): string => String(Math.round(Math.min(Math.max(value, -LARGEST), LARGEST) * 1_000) / 1_000);
