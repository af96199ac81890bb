import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject } from "pdf-lib";
import { hasValuesAllOver, type Run } from "./areas.ts";
import { programOf, runOf, stepsOf } from "./calculator.ts";
import { spend } from "./effort.ts";
import { piecewise } from "./pieces.ts";
import type { Given, Reckoned, Use } from "./reckoned.ts";
import { sampled } from "./samples.ts";
import { clamped, dataOf, type Limits, limitsOf, numbersOf, pairsOf, ROUNDING, within } from "./values.ts";

/**
 * Functions of colors (ISO 32000-2, 7.10). All readers reckon the same where one is what it says, for all that goes in,
 * does not leave the values that may come out, and does not jump.
 */

/** How near values are that are as good as the same. */
const NEAR = 1 / 128;
const [MAX_DEPTH, MAX_PARTS] = [4, 300];
const MAX_DATA_BYTES = 4 * 1024 * 1024;
/** Into how many parts what goes in is cut to see how steep a function is; and how much a color may change within two. */
const [STEPS, STEEP] = [256, 1 / 4];
/** Colors that are as good as a jump. */
const BRIGHTEST = 1_000;
/** Powers that are as good as a jump. */
const POWERS: Limits = { least: 0.25, most: 100 };

/** The same function for all readers: itself, one made of straight pieces, or null where nothing can stand there. */
export const settledFunction = (given: PDFObject | undefined, file: PdfFile, use: Use): PDFObject | null => {
  const reckoned = reckonedOf(given, file, use, 0);
  if (reckoned === null || given === undefined) return null;
  const [input, ...others] = use.inputs;
  if (reckoned.isPlain) return given;
  return input === undefined || others.length > 0 ? null : piecewise(reckoned, input, use.outputs, file);
};

/** Whether a function of one input changes some color at once, or nearly so. */
export const isSteep = (given: PDFObject | undefined, file: PdfFile, use: Use): boolean => {
  const reckoned = reckonedOf(given, file, use, 0);
  const { least, most } = use.inputs[0] ?? { least: 0, most: 0 };
  const values = Array.from({ length: STEPS + 1 }, (_, step) =>
    reckoned?.at([least + ((most - least) * step) / STEPS]),
  );
  return values.some((after, step) =>
    use.outputs.some((limits, output) => {
      const change = (after?.[output] ?? 0) - (values[Math.max(0, step - 2)]?.[output] ?? 0);
      return Math.abs(change) > STEEP * (limits.most - limits.least);
    }),
  );
};

const reckonedOf = (given: PDFObject | undefined, file: PdfFile, use: Use, depth: number): Reckoned | null => {
  const dict = file.resolve(given);
  if (!(dict instanceof PDFDict) || depth > MAX_DEPTH) return null;
  const domain = limitsOf(file.entry(dict, "Domain"), use.inputs.length, file);
  const range = file.entry(dict, "Range");
  const ranges = range === undefined ? null : limitsOf(range, use.outputs.length, file, true);
  if (domain === undefined || ranges === undefined) return null;
  const type = file.numberEntry(dict, "FunctionType");
  const made = makers[type ?? -1]?.({ dict, given, file, domain, ranges, use, depth }) ?? null;
  if (made === null) return null;
  const isWhole = use.inputs.every((input, index) => {
    const { least, most } = domain[index] ?? input;
    return least <= input.least && most >= input.most;
  });
  return {
    isPlain: made.isPlain && isWhole,
    at: (inputs) => {
      const outputs = made.at(inputs.map((value, index) => clamped(value, domain[index])));
      const bounded = outputs?.map((value, index) => clamped(clamped(value, ranges?.[index]), use.outputs[index]));
      return bounded?.every(Number.isFinite) ? bounded : undefined;
    },
  };
};

/** Whether values are of those that may come out. Not all readers heed the bounds of a function that does without. */
const areWithin = (values: readonly number[], { use, ranges }: Given): boolean =>
  values.every((value, index) =>
    [use.outputs[index], ranges?.[index]].every((limits) => limits === undefined || within(value, limits)),
  );

/** Powers between two colors (type 2). */
const power = (given: Given): Reckoned | null => {
  const { dict, file, domain, use } = given;
  const exponent = file.numberEntry(dict, "N");
  const [from, to] = (
    [
      ["C0", 0],
      ["C1", 1],
    ] as const
  ).map(([name, usual]) => (file.entry(dict, name) === undefined ? [usual] : numbersOf(file.entry(dict, name), file)));
  const count = use.outputs.length;
  if (exponent === undefined || use.inputs.length !== 1 || from?.length !== count || to?.length !== count) return null;
  if ([...from, ...to].some((color) => Math.abs(color) > BRIGHTEST)) return null;
  const at = ([input = 0]: readonly number[]) => {
    const share = input ** exponent;
    return from.map((start, index) => start + share * ((to[index] ?? 0) - start));
  };
  const { least, most } = use.inputs[0] ?? { least: 0, most: 0 };
  const ends = [least, most].map((end) => at([clamped(end, domain[0])]));
  // PDFium follows no reference to a power.
  const isDirect = dict.get(PDFName.of("N")) instanceof PDFNumber;
  const isTame = exponent === 1 || (least >= 0 && within(exponent, POWERS, 0));
  return { isPlain: isDirect && isTame && ends.every((values) => areWithin(values, given)), at };
};

/** Functions one after the other (type 3). */
const stitched = (given: Given): Reckoned | null => {
  const { dict, file, domain, use, depth } = given;
  const functions = file.entry(dict, "Functions");
  const bounds = numbersOf(file.entry(dict, "Bounds"), file);
  const encoded = pairsOf(numbersOf(file.entry(dict, "Encode"), file));
  const [whole] = domain;
  if (!(functions instanceof PDFArray) || whole === undefined || use.inputs.length !== 1) return null;
  const count = functions.size();
  if (count === 0 || count > MAX_PARTS || bounds?.length !== count - 1 || encoded?.length !== count) return null;
  const ends = [whole.least, ...bounds, whole.most];
  if (ends.some((end, index) => index > 0 && end < (ends[index - 1] ?? 0))) return null;
  const parts: Reckoned[] = [];
  for (const [index, { least, most }] of encoded.entries()) {
    const inputs = [{ least: Math.min(least, most), most: Math.max(least, most) }];
    const part = reckonedOf(functions.get(index), file, { ...use, inputs }, depth + 1);
    if (part === null) return null;
    parts.push(part);
  }
  const partAt = (index: number, input: number) => {
    const [start = 0, end = 0] = ends.slice(index, index + 2);
    const { least, most } = encoded[index] ?? whole;
    return parts[index]?.at([end === start ? least : least + ((input - start) / (end - start)) * (most - least)]);
  };
  const at = ([input = 0]: readonly number[]) => {
    const next = bounds.findIndex((bound) => input < bound || bound === whole.most);
    return partAt(next < 0 ? count - 1 : next, input);
  };
  const isSmooth = bounds.every((bound, index) => areNear(partAt(index, bound), partAt(index + 1, bound), use.outputs));
  const isWide = ends.every(
    (end, index) => index === 0 || end - (ends[index - 1] ?? 0) > ROUNDING * (whole.most - whole.least),
  );
  // At its end some readers take the part before the last bound.
  const hasEnd = bounds.every((bound) => bound < whole.most);
  const isEven = use.mayJump || (isSmooth && isWide);
  const isPlain = parts.every((part) => part.isPlain) && hasEnd && isEven && !hasRanges(given);
  return { isPlain, at };
};

/** Whether there are bounds that some values may pass: those of its parts are not known here. */
const hasRanges = ({ ranges, use }: Given): boolean =>
  ranges !== null &&
  use.outputs.some(({ least, most }, index) => {
    const range = ranges[index];
    return range !== undefined && (range.least > least + ROUNDING || range.most < most - ROUNDING);
  });

type Values = readonly number[] | undefined;

const areNear = (one: Values, other: Values, limits: readonly Limits[]): boolean =>
  one !== undefined &&
  other !== undefined &&
  limits.every(({ least, most }, index) => Math.abs((one[index] ?? 0) - (other[index] ?? 0)) <= NEAR * (most - least));

/** Calculators (type 4). */
const calculated = ({ given, file, use, ranges }: Given): Reckoned | null => {
  const code = ranges === null ? undefined : dataOf(given, file, MAX_DATA_BYTES);
  spend(file, code?.length ?? 0);
  const program = code && programOf(code);
  if (program === undefined) return null;
  const steps = stepsOf(program);
  const run: Run = (inputs, precision) => {
    spend(file, steps);
    const outputs = runOf(program, inputs, precision);
    return outputs?.length === use.outputs.length ? outputs : undefined;
  };
  const isOfRanges = ranges?.every((range, index) =>
    [range.least, range.most].every((end) => within(end, use.outputs[index] ?? range)),
  );
  const isKnown = () => run(use.inputs, "ranges") !== undefined || (use.mayJump && hasValuesAllOver(run, use.inputs));
  return {
    isPlain: isOfRanges === true && isKnown(),
    at: (inputs) =>
      run(
        inputs.map((value) => ({ least: value, most: value })),
        "one",
      )?.map(({ least }) => least),
  };
};

const makers: Readonly<Record<number, (given: Given) => Reckoned | null>> = {
  0: sampled,
  2: power,
  3: stitched,
  4: calculated,
};
