import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as fontkit from "@cantoo/fontkit";

const require = createRequire(import.meta.url);

/** Faces of text. */
export type Weight = "regular" | "bold" | "monospaced";

/** Scripts with a font of their own, each in a regular and a bold face. */
export const scripts = [
  { key: "arabic", name: "Arabic" },
  { key: "armenian", name: "Armenian" },
  { key: "bengali", name: "Bengali" },
  { key: "devanagari", name: "Devanagari" },
  { key: "ethiopic", name: "Ethiopic" },
  { key: "georgian", name: "Georgian" },
  { key: "hebrew", name: "Hebrew" },
  { key: "tamil", name: "Tamil" },
  { key: "thai", name: "Thai" },
] as const;

type Script = (typeof scripts)[number]["key"];

const letters = scripts.map(({ key, name }) => ({ key, pattern: new RegExp(`\\p{Script_Extensions=${name}}`, "u") }));

/** A font's name, which is also what it is called among the resources of a file. */
export type FontKey = Weight | "chineseAndJapanese" | "korean" | Script | `${Script}Bold`;

const files: Record<FontKey, string> = {
  regular: fileOf("noto-sans", "NotoSans", "400Regular"),
  bold: fileOf("noto-sans", "NotoSans", "600SemiBold"),
  monospaced: fileOf("noto-sans-mono", "NotoSansMono", "400Regular"),
  chineseAndJapanese: fileOf("noto-sans-sc", "NotoSansSC", "400Regular"),
  korean: fileOf("noto-sans-kr", "NotoSansKR", "400Regular"),
  ...(Object.fromEntries(
    scripts.flatMap(({ key, name }) => [
      [key, fileOf(`noto-sans-${key}`, `NotoSans${name}`, "400Regular")],
      [`${key}Bold`, fileOf(`noto-sans-${key}`, `NotoSans${name}`, "600SemiBold")],
    ]),
  ) as Record<Script | `${Script}Bold`, string>),
};

function fileOf(name: string, family: string, face: string): string {
  return `@expo-google-fonts/${name}/${face}/${family}_${face}.ttf`;
}

/** A font as fontkit reads it. */
export type Font = Extract<ReturnType<typeof fontkit.create>, { hasGlyphForCodePoint: unknown }>;

const read = new Map<FontKey, Uint8Array>();
const loaded = new Map<FontKey, Font>();

/** A font's file. Read when it is first needed, and kept. */
export function fontFile(key: FontKey): Uint8Array {
  const known = read.get(key);
  if (known !== undefined) return known;
  const bytes = readFileSync(require.resolve(files[key]));
  read.set(key, bytes);
  return bytes;
}

/** A font. Read when it is first needed, and kept. */
export function fontOf(key: FontKey): Font {
  const known = loaded.get(key);
  if (known !== undefined) return known;
  const font = fontkit.create(fontFile(key));
  if (font === null || !("hasGlyphForCodePoint" in font)) throw new Error(`${files[key]} is not one font`);
  loaded.set(key, font);
  return font;
}

/** A glyph of a font. */
export interface Glyph {
  /** 0 when the font has none. */
  id: number;
  /** In the font's units. */
  advanceWidth: number;
}

const glyphs = new WeakMap<Font, Map<number, Glyph>>();

/** A character's glyph. Remembered, since fontkit goes through the font's tables for it each time. */
export function glyphOf(font: Font, codePoint: number): Glyph {
  const known = glyphs.get(font) ?? new Map<number, Glyph>();
  glyphs.set(font, known);
  const found = known.get(codePoint);
  if (found !== undefined) return found;
  const { id, advanceWidth } = font.glyphForCodePoint(codePoint) ?? { id: 0, advanceWidth: 0 };
  const glyph = { id, advanceWidth };
  known.set(codePoint, glyph);
  return glyph;
}

/** The font that has all of what is perceived as one character; undefined when none has, as for emoji. */
export function fontFor(grapheme: string, weight: Weight): FontKey | undefined {
  // An emoji's base may be in a text font; with its selector or modifiers it is another sign.
  if (/\p{Emoji_Presentation}/u.test(grapheme)) return undefined;
  const script = letters.find(({ pattern }) => pattern.test(grapheme))?.key;
  const order: FontKey[] = [weight, "chineseAndJapanese", "korean"];
  // First, though others may have some of its letters: runs of different scripts are shaped by different rules.
  if (script !== undefined) order.unshift(weight === "bold" ? `${script}Bold` : script);
  return order.find((key) => {
    const font = fontOf(key);
    return [...grapheme].every((character) => glyphOf(font, character.codePointAt(0) ?? 0).id !== 0);
  });
}
