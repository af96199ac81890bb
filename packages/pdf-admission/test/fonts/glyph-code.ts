/** Glyphs of font programs, and routines of these, as words: numbers, operators, and bytes in hexadecimal digits. */

const operators: Readonly<Record<string, readonly number[]>> = {
  hstem: [1],
  vstem: [3],
  rlineto: [5],
  hlineto: [6],
  vlineto: [7],
  rrcurveto: [8],
  closepath: [9],
  callsubr: [10],
  return: [11],
  hsbw: [13],
  endchar: [14],
  hstemhm: [18],
  hintmask: [19],
  rmoveto: [21],
  hmoveto: [22],
  dotsection: [12, 0],
  hstem3: [12, 2],
  seac: [12, 6],
  sbw: [12, 7],
  add: [12, 10],
  div: [12, 12],
  callothersubr: [12, 16],
  pop: [12, 17],
  setcurrentpoint: [12, 33],
  flex: [12, 35],
  reserved: [2],
  reservedEscaped: [12, 99],
};

const codeOf =
  (numberOf: (value: number) => Buffer) =>
  (words: string): Buffer =>
    Buffer.concat(
      words.split(" ").map((word) => {
        const bytes = operators[word];
        if (bytes) return Buffer.from(bytes);
        return word.startsWith("x") ? Buffer.from(word.slice(1), "hex") : numberOf(Number(word));
      }),
    );

export const type1Code = codeOf((value) => {
  const number = Buffer.from([255, 0, 0, 0, 0]);
  number.writeInt32BE(value, 1);
  return number;
});

export const type2Code = codeOf((value) => {
  const number = Buffer.from([28, 0, 0]);
  number.writeInt16BE(value, 1);
  return number;
});

const signs: Readonly<Record<string, number>> = { ".": 10, e: 11, "-": 14 };
/** A number as CFF has it, digit by digit. */
const digits = (value: string): number[] => {
  const all = [...value].map((digit) => signs[digit] ?? Number(digit));
  const even = all.length % 2 === 0 ? [...all, 15, 15] : [...all, 15];
  return [30, ...even.filter((_, at) => at % 2 === 0).map((digit, at) => digit * 16 + (even[at * 2 + 1] as number))];
};

/** What scales the glyphs of a program in CFF, as its list says it. */
export const compactMatrix = (matrix: string) => Buffer.from([...matrix.split(" ").flatMap(digits), 12, 7]);
