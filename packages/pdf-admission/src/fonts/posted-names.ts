import { charactersOf } from "./latin-names.ts";
import { ASCII_NAMES } from "./named-glyphs.ts";

/** Names that glyphs of a TrueType program have beside their codes (`post`, ISO/IEC 14496-22, 5.2.8). */

const [HEAD_BYTES, OF_ITS_OWN, MACINTOSH] = [32, 0x20000, 258];
/** Of the Macintosh's list these are ASCII's, but for two. */
const FIRST_OF_ASCII = 3;
const otherwise: ReadonlyMap<string, string> = new Map([
  ["quoteright", "quotesingle"],
  ["quoteleft", "grave"],
]);

/** These follow in the order of its codes, and after them some that it has no codes for. */
const FIRST_BEYOND = 98;
const beyond = new TextDecoder("macintosh").decode(Uint8Array.from({ length: 128 }, (_, index) => 128 + index));
const WITHOUT_CODES = (
  "Lslash lslash Scaron scaron Zcaron zcaron brokenbar Eth eth Yacute yacute Thorn thorn minus multiply onesuperior " +
  "twosuperior threesuperior onehalf onequarter threequarters franc Gbreve gbreve Idotaccent Scedilla scedilla Cacute " +
  "cacute Ccaron ccaron dcroat"
).split(" ");

/** What a program's glyphs are called. */
export interface Posted {
  /** The first glyph of each name, of those that the program lists by itself; of the Macintosh's names ASCII's alone. */
  names: ReadonlyMap<string, number>;
  /** Latin characters that some glyph is named for. */
  characters: ReadonlySet<number>;
}

export const postedNames = (table: Uint8Array): Posted => {
  const names = new Map<string, number>();
  const characters = new Set<number>();
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  if (table.length < HEAD_BYTES + 2 || view.getUint32(0) !== OF_ITS_OWN) return { names, characters };
  const count = view.getUint16(HEAD_BYTES);
  const own: string[] = [];
  for (let at = HEAD_BYTES + 2 + count * 2; at < table.length; at += 1 + (table[at] as number))
    own.push(Buffer.from(table.subarray(at + 1, at + 1 + (table[at] as number))).toString("latin1"));
  for (let glyph = 0; glyph < count && HEAD_BYTES + 4 + glyph * 2 <= table.length; glyph += 1) {
    const index = view.getUint16(HEAD_BYTES + 2 + glyph * 2);
    const listed = ASCII_NAMES[index - FIRST_OF_ASCII];
    const name = index < MACINTOSH ? (otherwise.get(listed ?? "") ?? listed) : own[index - MACINTOSH];
    if (glyph === 0) continue;
    if (name !== undefined && !names.has(name)) names.set(name, glyph);
    for (const character of name === undefined ? beyondAscii(index) : charactersOf(name)) characters.add(character);
  }
  return { names, characters };
};

const beyondAscii = (index: number): number[] => {
  const at = index - FIRST_BEYOND;
  const character = beyond[at];
  return character === undefined ? charactersOf(WITHOUT_CODES[at - beyond.length] ?? "") : [character.charCodeAt(0)];
};
