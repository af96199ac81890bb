import { type CharacterMap, isMapOfMacintosh } from "./character-maps.ts";
import { charactersOf, GREEK, LATIN_OF_TWO_BYTES } from "./latin-names.ts";
import type { Program } from "./programs.ts";

/**
 * Whether a TrueType program has a glyph for a code. Where it has none, pdf.js shows nothing and others the program's sign for
 * that, which may be drawn as anything.
 */

const [SPACE, LAST, CODES] = [0x20, 0x7e, 256];
/** Names by the number of a character. */
export const BY_NUMBER = /^(?:uni[\dA-F]{4}|u[\dA-F]{4,6})$/;
const encodings: Readonly<Record<string, InstanceType<typeof TextDecoder>>> = {
  WinAnsiEncoding: new TextDecoder("windows-1252"),
  MacRomanEncoding: new TextDecoder("macintosh"),
};
const everyCode = Uint8Array.from({ length: CODES }, (_, code) => code);
/** Codes of the Macintosh by their characters. */
const macintoshCodes: ReadonlyMap<number, number> = new Map(
  [...new TextDecoder("macintosh").decode(everyCode)].map((character, code) => [character.charCodeAt(0), code]),
);
/** What readers show for these where a program lacks them; for a code that a list does not have, a bullet. */
const stands: ReadonlyMap<number, number> = new Map([[0xa0, SPACE], [0xad, 0x2d], ...GREEK]);
const [BULLET, LAST_CONTROL] = [0x2022, 0x9f];

/** What a code beyond ASCII, or a space, stands for by a list that all readers have. */
export const listedCharacters = (code: number, list: string | undefined): number[] => {
  const decoder = encodings[list ?? ""];
  if (decoder === undefined || code < SPACE) return [];
  const character = decoder.decode(Uint8Array.of(code)).charCodeAt(0);
  const other = character > LAST && character <= LAST_CONTROL ? BULLET : stands.get(character);
  return other === undefined ? [character] : [character, other];
};

/** Whether a program has some glyph for a code: by itself, or by a character that it may stand for. */
export const isThere = (code: number, characters: readonly number[], program: Program): boolean =>
  program.maps?.some((map) => [map.glyphs, map.symbols, map.beyond].some((glyphs) => (glyphs[code] ?? 0) > 0)) ===
    true ||
  isMappedTo(characters, program) ||
  characters.some((character) => program.posted?.characters.has(character));

const glyphFor = (map: CharacterMap, character: number): number => {
  const code = isMapOfMacintosh(map) ? (macintoshCodes.get(character) ?? CODES) : character;
  return (code < CODES ? map.glyphs[code] : map.latin.get(code)) ?? 0;
};

/** Of a name whose character is not known here nothing is said. */
export const isNamedThere = (name: string, code: number, program: Program): boolean => {
  const characters = charactersNamed(name);
  return characters.length === 0 || program.posted?.names.has(name) === true || isThere(code, characters, program);
};

/** Whether some map has a glyph for one of the characters. */
export const isMappedTo = (characters: readonly number[], { maps = [] }: Program): boolean =>
  maps.some((map) => characters.some((character) => glyphFor(map, character) > 0));

/** The characters that a name may stand for, as far as they are known here. */
export const charactersNamed = (name: string): number[] => {
  const number = numberNamed(name);
  return number === undefined ? charactersOf(name) : [number].filter(isKnown);
};
/** The character that a name is the number of; undefined for other names. */
export const numberNamed = (name: string): number | undefined =>
  BY_NUMBER.test(name) ? Number.parseInt(name.replace(/^u(?:ni)?/, ""), 16) : undefined;

const isKnown = (character: number): boolean => character < CODES || LATIN_OF_TWO_BYTES.includes(character);
