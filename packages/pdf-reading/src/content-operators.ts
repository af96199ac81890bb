import { ARRAY, NAME, NUMBER, STRING } from "./content-tokens.ts";

/** The operators of contents (ISO 32000-2, annex A): their operands, and where they may stand (figure 9). */

/** What decides where an operator may stand, and where the next one may. */
export type OperatorKind =
  /** Anywhere but between a clip and its path's end: colors, styles of lines and text, marks. */
  | "general"
  | "page"
  /** Matrices: not within a path. */
  | "matrix"
  | "save"
  | "restore"
  | "begin_text"
  | "text"
  | "end_text"
  /** Begins a path, or a part of it. */
  | "begin_path"
  /** Goes on from a point. */
  | "path"
  | "clip"
  | "paint"
  | "glyph"
  | "color"
  | "image";

/** An operator. */
export interface Operator {
  name: string;
  kind: OperatorKind;
  /** Kinds of its operands; undefined where their number depends on a color space. */
  operands: readonly number[] | undefined;
}

const kinds: Readonly<Record<string, number>> = { n: NUMBER, N: NAME, S: STRING, A: ARRAY };
const operatorsByKind: readonly (readonly [OperatorKind, Readonly<Record<string, string>>])[] = [
  [
    "general",
    {
      "": "EMC BX EX",
      n: "w J j M i Tc Tw Tz TL Tr Ts g G",
      N: "ri gs CS cs BMC MP",
      An: "d",
      Nn: "Tf",
      nnn: "rg RG",
      nnnn: "k K",
      "N?": "BDC DP",
    },
  ],
  ["color", { "*": "sc SC scn SCN" }],
  ["page", { N: "Do sh" }],
  ["matrix", { nnnnnn: "cm" }],
  ["save", { "": "q" }],
  ["restore", { "": "Q" }],
  ["begin_text", { "": "BT" }],
  ["text", { "": "T*", nn: "Td TD", nnnnnn: "Tm", S: "Tj '", A: "TJ", nnS: '"' }],
  ["end_text", { "": "ET" }],
  ["begin_path", { nn: "m", nnnn: "re" }],
  ["path", { "": "h", nn: "l", nnnn: "v y", nnnnnn: "c" }],
  ["clip", { "": "W W*" }],
  ["paint", { "": "b B b* B* f F f* n s S" }],
  ["glyph", { nn: "d0", nnnnnn: "d1" }],
  ["image", { "": "BI" }],
];

/** No operator is longer. */
const LONGEST = 3;

const keyOf = (bytes: Uint8Array, start: number, end: number): number => {
  let value = 0;
  for (let at = start; at < end; at += 1) value = value * 256 + (bytes[at] ?? 0);
  return value;
};

const operators = new Map<number, Operator>(
  operatorsByKind.flatMap(([kind, forms]) =>
    Object.entries(forms).flatMap(([form, names]) =>
      names.split(" ").map((name) => {
        const operands = form === "*" ? undefined : Array.from(form, (one) => kinds[one] ?? 0);
        return [keyOf(Buffer.from(name), 0, name.length), { name, kind, operands }] as const;
      }),
    ),
  ),
);

/** The operator of a word, or undefined where it is not an operator. */
export const operatorAt = (bytes: Uint8Array, start: number, end: number): Operator | undefined =>
  end - start > LONGEST ? undefined : operators.get(keyOf(bytes, start, end));
