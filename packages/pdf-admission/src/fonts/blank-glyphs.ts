/** Glyphs of CFF and Type 1 by which nothing is drawn (Adobe Technical Note 5177; Adobe Type 1 Font Format, 6). */

const [ESCAPE, END, SHORT, LONG] = [12, 14, 28, 255];
const FIRST_NUMBER = 32;
const FIRST_OF_TWO_BYTES = 247;
/** What gives a width, moves the pen, closes what was not begun, and hints. */
const SILENT: readonly number[] = [1, 3, 4, 9, 13, 18, 21, 22, 23];
/** After an escape: a width in both directions. */
const SILENT_ESCAPED: readonly number[] = [0, 7];
/** A width; with four numbers more an end draws two other glyphs. */
const MOST_AT_END = 1;

/** Whether nothing is seen of a glyph; false where that is left to routines. */
export const drawsNothing = (glyph: Uint8Array): boolean => {
  let operands = 0;
  for (let at = 0; at < glyph.length; at += 1) {
    const byte = glyph[at] as number;
    if (byte >= FIRST_NUMBER || byte === SHORT) {
      operands += 1;
      at += byte === LONG ? 4 : byte === SHORT ? 2 : byte >= FIRST_OF_TWO_BYTES ? 1 : 0;
      continue;
    }
    if (byte === END) return operands <= MOST_AT_END;
    if (byte === ESCAPE) at += 1;
    const isSilent = byte === ESCAPE ? SILENT_ESCAPED.includes(glyph[at] ?? -1) : SILENT.includes(byte);
    if (!isSilent) return false;
    operands = 0;
  }
  return false;
};
