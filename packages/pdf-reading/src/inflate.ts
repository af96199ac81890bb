import { inflateRawSync, inflateSync } from "node:zlib";
import { type PDFDict, PDFName, PDFNumber } from "pdf-lib";
import type { Allowance } from "./allowance.ts";
import { Damaged, TooComplex } from "./faults.ts";

/** The most that one part may inflate to. */
const MAX_INFLATED_BYTES = 64 * 1024 * 1024;

/** The last of the rules by which rows are predicted. */
const PAETH = 4;

const name = (text: string) => PDFName.of(text);
const integer = (dict: PDFDict | undefined, key: string, otherwise: number): number => {
  const value = dict?.get(name(key));
  return value instanceof PDFNumber ? value.asNumber() : otherwise;
};

/**
 * The content of a cross-reference or object stream, or of another that is compressed as these are: with
 * Flate or not at all (ISO 32000-2, 7.5.7 and 7.5.8). Other filters count as damage.
 * @param allowance what inflating may cost, which this is taken from
 */
export const inflateStructure = (
  data: Uint8Array,
  filter: string | undefined,
  parameters: PDFDict | undefined,
  allowance: Allowance,
): Uint8Array => {
  if (filter === undefined) return data;
  if (filter !== "FlateDecode" && filter !== "Fl") throw new Damaged("its structure is compressed in an unknown way");
  const predictor = integer(parameters, "Predictor", 1);
  if (predictor > 1 && predictor < 10) throw new Damaged("its structure uses an unknown predictor");
  const plain = inflate(data, allowance);
  return predictor <= 1 ? plain : unpredict(plain, parameters);
};

/**
 * Inflates zlib data, also where its checksum is missing or wrong, up to a limit; throws {@link TooComplex} past it. Where its
 * head is odd some readers find nothing.
 */
const inflate = (data: Uint8Array, allowance: Allowance): Uint8Array => {
  const maxOutputLength = Math.min(MAX_INFLATED_BYTES, allowance.inflatable);
  for (const attempt of [
    () => inflateSync(data, { maxOutputLength, finishFlush: 2 }),
    () => inflateRawSync(data.subarray(2), { maxOutputLength, finishFlush: 2 }),
  ]) {
    try {
      const plain = attempt();
      allowance.inflated(plain.length);
      return plain;
    } catch (error) {
      if (error instanceof TooComplex) throw error;
      if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw new TooComplex("it inflates too far");
      // Without its head and its checksum, it would break at the same place again.
      if (!/data check/.test(error instanceof Error ? error.message : "")) break;
    }
  }
  allowance.inflatedInVain(data.length);
  throw new Damaged("a compressed part of it can't be inflated");
};

/** Takes the PNG prediction (ISO 32000-2, 7.4.4.4) off. */
const unpredict = (data: Uint8Array, parameters: PDFDict | undefined): Uint8Array => {
  const bitsPerPixel = integer(parameters, "Colors", 1) * integer(parameters, "BitsPerComponent", 8);
  const pixelBytes = Math.max(1, Math.ceil(bitsPerPixel / 8));
  const rowBytes = Math.ceil((bitsPerPixel * integer(parameters, "Columns", 1)) / 8);
  if (!(rowBytes > 0 && rowBytes < 65_536)) throw new Damaged("its structure uses an unknown predictor");
  const rows = Math.ceil(data.length / (rowBytes + 1));
  const out = new Uint8Array(rows * rowBytes);
  for (let row = 0; row < rows; row += 1) {
    const source = row * (rowBytes + 1) + 1;
    unpredictRow(data, source, out, row * rowBytes, rowBytes, pixelBytes);
  }
  return out;
};

const unpredictRow = (
  data: Uint8Array,
  source: number,
  out: Uint8Array,
  target: number,
  rowBytes: number,
  pixelBytes: number,
): void => {
  const filter = data[source - 1] ?? 0;
  // Some readers take nothing of a row by an unknown rule, others its bytes as they are.
  if (filter > PAETH) throw new Damaged("its structure is predicted by an unknown rule");
  for (let column = 0; column < rowBytes; column += 1) {
    const left = column >= pixelBytes ? (out[target + column - pixelBytes] ?? 0) : 0;
    const up = out[target + column - rowBytes] ?? 0;
    const upLeft = column >= pixelBytes ? (out[target + column - rowBytes - pixelBytes] ?? 0) : 0;
    out[target + column] = (data[source + column] ?? 0) + predicted(filter, left, up, upLeft);
  }
};

const predicted = (filter: number, left: number, up: number, upLeft: number): number => {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case PAETH:
      return paeth(left, up, upLeft);
    default:
      return 0;
  }
};

const paeth = (left: number, up: number, upLeft: number): number => {
  const estimate = left + up - upLeft;
  const [toLeft, toUp, toUpLeft] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - upLeft)];
  if (toLeft <= toUp && toLeft <= toUpLeft) return left;
  return toUp <= toUpLeft ? up : upLeft;
};
