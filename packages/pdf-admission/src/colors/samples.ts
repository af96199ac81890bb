import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import type { PDFObject } from "pdf-lib";
import { spend } from "./effort.ts";
import type { Given, Reckoned } from "./reckoned.ts";
import { clamped, dataOf, type Limits, numbersOf, pairsOf, within } from "./values.ts";

/** Functions that are given by samples (ISO 32000-2, 7.10.2). */

const MAX_DATA_BYTES = 4 * 1024 * 1024;
const DEPTHS = [1, 2, 4, 8, 12, 16, 24];
/** How far PDFium may go from other readers between samples of more than one input. */
const BETWEEN_SAMPLES = 0.15;

/** So many corners of its cells are looked at. */
const MOST_CORNERS = 2 ** 20;

/** Samples (type 0), between which readers reckon. */
export const sampled = (given: Given): Reckoned | null => {
  const samples = samplesOf(given);
  if (samples === null) return null;
  const at = (values: readonly number[]) =>
    interpolated(
      samples.table,
      values.map((value, index) => encodedBy(samples, given, value, index)),
    );
  return {
    isPlain: areSimple(samples, given) && (samples.encoded.length === 1 || isLevel(samples.table, given.file)),
    at,
  };
};

/** What a function says of its samples. */
interface Samples {
  depth: number;
  /** The place of each input's ends among the samples. */
  encoded: readonly Limits[];
  table: Table;
}

/** Null where it does not go together, or is more than 4 MB. */
const samplesOf = ({ given, dict, file, ranges, use }: Given): Samples | null => {
  const sizes = numbersOf(file.entry(dict, "Size"), file);
  const depth = file.numberEntry(dict, "BitsPerSample") ?? 0;
  if (ranges === null || sizes?.length !== use.inputs.length) return null;
  if (!sizes.every((size) => Number.isInteger(size) && size > 0) || ![...DEPTHS, 32].includes(depth)) return null;
  const outputs = use.outputs.length;
  const bits = depth * outputs * sizes.reduce((product, size) => product * size, 1);
  const ends = sizes.flatMap((size) => [0, size - 1]);
  const encoded = listed(file.entry(dict, "Encode"), ends, file);
  const range = ranges.flatMap(({ least, most }) => [least, most]);
  const decoded = listed(file.entry(dict, "Decode"), range, file);
  const data = bits <= 8 * MAX_DATA_BYTES ? dataOf(given, file, MAX_DATA_BYTES) : undefined;
  if (!encoded || !decoded || !data || data.length * 8 < bits) return null;
  const steps = sizes.map((_, index) => sizes.slice(0, index).reduce((product, size) => product * size, 1));
  const sample = (place: number, output: number) => {
    const { least, most } = decoded[output] ?? { least: 0, most: 0 };
    return least + (bitsAt(data, (place * outputs + output) * depth, depth) / (2 ** depth - 1)) * (most - least);
  };
  return { depth, encoded, table: { sizes, steps, outputs, sample } };
};

/** Which place among the samples a value of an input has. */
const encodedBy = ({ encoded, table }: Samples, { domain, use }: Given, value: number, index: number): number => {
  const { least, most } = domain[index] ?? use.inputs[index] ?? { least: 0, most: 1 };
  const to = encoded[index] ?? { least: 0, most: 0 };
  return clamped(to.least + ((value - least) / (most - least)) * (to.most - to.least), placesOf(table, index));
};

const placesOf = ({ sizes }: Table, index: number): Limits => ({ least: 0, most: (sizes[index] ?? 1) - 1 });

/** Whether all readers know samples of that depth and order, and find none beyond those that there are. */
const areSimple = ({ depth, encoded, table }: Samples, { dict, file, ranges, use }: Given): boolean => {
  const order = file.entry(dict, "Order");
  const isWithin = ({ least, most }: Limits, bounds: Limits, slack?: number) =>
    within(least, bounds, slack) && within(most, bounds, slack);
  return (
    DEPTHS.includes(depth) &&
    table.sizes.every((size) => size > 1) &&
    (order === undefined || String(order) === "1") &&
    encoded.every((ends, index) => isWithin(ends, placesOf(table, index), 0)) &&
    (ranges ?? []).every((range, index) => isWithin(range, use.outputs[index] ?? range))
  );
};

/** Pairs of numbers of a list, or the usual ones. */
const listed = (value: PDFObject | undefined, usual: readonly number[], file: PdfFile): Limits[] | undefined => {
  const numbers = value === undefined ? usual : numbersOf(value, file);
  return numbers?.length === usual.length ? pairsOf(numbers) : undefined;
};

const bitsAt = (data: Uint8Array, start: number, count: number): number => {
  let value = 0;
  for (let bit = start; bit < start + count; ) {
    const taken = Math.min(8 - (bit % 8), start + count - bit);
    const byte = (data[bit >> 3] ?? 0) >> (8 - (bit % 8) - taken);
    value = value * 2 ** taken + (byte & (2 ** taken - 1));
    bit += taken;
  }
  return value;
};

interface Table {
  sizes: readonly number[];
  steps: readonly number[];
  outputs: number;
  sample(place: number, output: number): number;
}

const interpolated = ({ sizes, steps, outputs, sample }: Table, values: readonly number[]): number[] => {
  const corners = values.reduce(
    (left: { place: number; weight: number }[], value, index) => {
      const low = Math.min(Math.floor(value), (sizes[index] ?? 1) - 1);
      const share = value - low;
      const step = steps[index] ?? 0;
      return left.flatMap(({ place, weight }) =>
        share === 0
          ? [{ place: place + low * step, weight }]
          : [
              { place: place + low * step, weight: weight * (1 - share) },
              { place: place + (low + 1) * step, weight: weight * share },
            ],
      );
    },
    [{ place: 0, weight: 1 }],
  );
  return Array.from({ length: outputs }, (_, output) =>
    corners.reduce((sum, { place, weight }) => sum + weight * sample(place, output), 0),
  );
};

/** Whether a reader that adds up what each input makes alone is near the others, between samples of several inputs. */
const isLevel = (table: Table, file: PdfFile): boolean => {
  const { sizes, steps, outputs, sample } = table;
  const count = sizes.reduce((product, size) => product * (size - 1), 1);
  const effort = count * 2 ** sizes.length;
  if (effort > MOST_CORNERS) return false;
  spend(file, effort);
  for (let cell = 0; cell < count; cell += 1) {
    let left = cell;
    const low = sizes.map((size) => {
      const at = left % (size - 1);
      left = Math.floor(left / (size - 1));
      return at;
    });
    const middle = interpolated(
      table,
      low.map((at) => at + 0.5),
    );
    const place = low.reduce((sum, at, index) => sum + at * (steps[index] ?? 0), 0);
    for (let output = 0; output < outputs; output += 1) {
      const start = sample(place, output);
      const added = steps.reduce((sum, step) => sum + (sample(place + step, output) - start) / 2, start);
      if (Math.abs(added - (middle[output] ?? 0)) > BETWEEN_SAMPLES) return false;
    }
  }
  return true;
};
