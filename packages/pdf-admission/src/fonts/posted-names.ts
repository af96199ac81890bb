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
  /** Names of several glyphs, of which Poppler takes the last one, others the first. */
  ofSeveral: ReadonlySet<string>;
  /** Whether only some readers have names for the glyphs: a list of none, or in a form that is hardly used. */
  isDoubtful: boolean;
}

/** Of its own names, and of none. */
const USUAL: readonly number[] = [0x20000, 0x30000];

export const postedNames = (table: Uint8Array): Posted => {
  const names = new Map<string, number>();
  const characters = new Set<number>();
  const ofSeveral = new Set<string>();
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  const isDoubtful = table.length >= 4 && !USUAL.includes(view.getUint32(0));
  const posted = { names, characters, ofSeveral, isDoubtful };
  if (table.length < HEAD_BYTES + 2 || view.getUint32(0) !== OF_ITS_OWN) return posted;
  const count = view.getUint16(HEAD_BYTES);
  const own: string[] = [];
  for (let at = HEAD_BYTES + 2 + count * 2; at < table.length; at += 1 + (table[at] as number))
    own.push(Buffer.from(table.subarray(at + 1, at + 1 + (table[at] as number))).toString("latin1"));
  const addTo = (glyph: number) => (name: string) => {
    if (names.has(name)) ofSeveral.add(name);
    else names.set(name, glyph);
  };
  for (let glyph = 0; glyph < count && HEAD_BYTES + 4 + glyph * 2 <= table.length; glyph += 1) {
    const index = view.getUint16(HEAD_BYTES + 2 + glyph * 2);
    const listed = ASCII_NAMES[index - FIRST_OF_ASCII];
    const name = index < MACINTOSH ? (otherwise.get(listed ?? "") ?? listed) : own[index - MACINTOSH];
    if (glyph === 0) continue;
    const add = addTo(glyph);
    if (name !== undefined) add(name);
    // FreeType ends it there.
    if (name?.includes("\0")) add(name.slice(0, name.indexOf("\0")));
    for (const character of name === undefined ? beyondAscii(index) : charactersOf(name)) characters.add(character);
  }
  return posted;
};

const beyondAscii = (index: number): number[] => {
  const at = index - FIRST_BEYOND;
  const character = beyond[at];
  return character === undefined ? charactersOf(WITHOUT_CODES[at - beyond.length] ?? "") : [character.charCodeAt(0)];
};
