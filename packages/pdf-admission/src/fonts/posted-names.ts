import { ASCII_NAMES } from "./named-glyphs.ts";

/** Names that glyphs of a TrueType program have beside their codes (`post`, ISO/IEC 14496-22, 5.2.8). */

const [HEAD_BYTES, OF_ITS_OWN, MACINTOSH] = [32, 0x20000, 258];
/** Of the Macintosh's list these are ASCII's, but for two. */
const FIRST_OF_ASCII = 3;
const otherwise: ReadonlyMap<string, string> = new Map([
  ["quoteright", "quotesingle"],
  ["quoteleft", "grave"],
]);

/** The first glyph of each name, of those that a program lists by itself; of the Macintosh's names ASCII's alone. */
export const postedNames = (table: Uint8Array): ReadonlyMap<string, number> => {
  const names = new Map<string, number>();
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  if (table.length < HEAD_BYTES + 2 || view.getUint32(0) !== OF_ITS_OWN) return names;
  const count = view.getUint16(HEAD_BYTES);
  const own: string[] = [];
  for (let at = HEAD_BYTES + 2 + count * 2; at < table.length; at += 1 + (table[at] as number))
    own.push(Buffer.from(table.subarray(at + 1, at + 1 + (table[at] as number))).toString("latin1"));
  for (let glyph = 0; glyph < count && HEAD_BYTES + 4 + glyph * 2 <= table.length; glyph += 1) {
    const index = view.getUint16(HEAD_BYTES + 2 + glyph * 2);
    const listed = ASCII_NAMES[index - FIRST_OF_ASCII];
    const name = index < MACINTOSH ? (otherwise.get(listed ?? "") ?? listed) : own[index - MACINTOSH];
    if (name !== undefined && glyph > 0 && !names.has(name)) names.set(name, glyph);
  }
  return names;
};
