import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { type PDFDict, PDFNumber } from "pdf-lib";
import { probes, showsAsDevice, type Xyz } from "./colorimetry.ts";
import { type Limits, limitsOf, numbersOf } from "./values.ts";

/** Colors that are measured (ISO 32000-2, 8.6.5). Readers go by the measures, by some of them, or by none. */

const WHITE_LEAST: Xyz = [0.8, 0.999, 0.7];
const WHITE_MOST: Xyz = [1.2, 1.001, 1.5];
const USUAL_RANGE = [-100, 100, -100, 100];
/** Ranges that a Lab space may have: readers reckon with narrower ones each in its own way. */
const [LEAST_LAB, MOST_LAB]: readonly Limits[] = [
  { least: -128, most: -100 },
  { least: 100, most: 128 },
] as const;

/** A white that readers take for white. */
const whiteOf = (dict: PDFDict, file: PdfFile): Xyz | undefined => {
  const [x = 0, y = 0, z = 0, ...others] = numbersOf(file.entry(dict, "WhitePoint"), file) ?? [];
  const white: Xyz = [x, y, z];
  const isWhite = white.every((value, at) => value >= (WHITE_LEAST[at] ?? 0) && value <= (WHITE_MOST[at] ?? 0));
  const black = file.entry(dict, "BlackPoint");
  const isBlack = black === undefined || numbersOf(black, file)?.every((value) => value >= 0 && value < 0.1) === true;
  return isWhite && isBlack && others.length === 0 ? white : undefined;
};

/** Whether a CalGray or CalRGB space shows about the colors of its device. */
export const isPlainCalibrated = (dict: PDFDict, count: number, file: PdfFile): boolean => {
  const white = whiteOf(dict, file);
  const gamma = file.entry(dict, "Gamma");
  const gammas =
    gamma === undefined ? [1, 1, 1] : gamma instanceof PDFNumber ? [gamma.asNumber()] : numbersOf(gamma, file);
  const given = file.entry(dict, "Matrix");
  const matrix = given === undefined ? [1, 0, 0, 0, 1, 0, 0, 0, 1] : numbersOf(given, file);
  if (white === undefined || gammas === undefined || gammas.some((one) => one <= 0) || matrix?.length !== 9)
    return false;
  if (gamma !== undefined && gammas.length !== count) return false;
  return probes(count).every((color) => {
    const linear = color.map((value, index) => value ** (gammas[index] ?? 1));
    const [a = 0, b = a, c = a] = linear;
    const xyz = white.map((part, at) =>
      count === 1 ? part * a : a * (matrix[at] ?? 0) + b * (matrix[3 + at] ?? 0) + c * (matrix[6 + at] ?? 0),
    ) as unknown as Xyz;
    return showsAsDevice(color, xyz, white);
  });
};

export const isPlainLab = (dict: PDFDict, file: PdfFile): boolean => {
  const isRange = ({ least, most }: Limits) =>
    least >= LEAST_LAB.least && least <= LEAST_LAB.most && most >= MOST_LAB.least && most <= MOST_LAB.most;
  const ranges = limitsOf(file.entry(dict, "Range"), 2, file);
  return (
    whiteOf(dict, file) !== undefined && (file.entry(dict, "Range") === undefined || ranges?.every(isRange) === true)
  );
};

/** What the components of a Lab space may be. */
export const labLimits = (dict: PDFDict, file: PdfFile): Limits[] => {
  const [a = 0, b = 0, c = 0, d = 0] = numbersOf(file.entry(dict, "Range"), file) ?? USUAL_RANGE;
  return [
    { least: 0, most: 100 },
    { least: a, most: b },
    { least: c, most: d },
  ];
};
