import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as fontkit from "@cantoo/fontkit";
import { atFirstUse } from "@rubrica/runtime";

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
  { key: "gujarati", name: "Gujarati" },
  { key: "gurmukhi", name: "Gurmukhi" },
  { key: "hebrew", name: "Hebrew" },
  { key: "kannada", name: "Kannada" },
  { key: "khmer", name: "Khmer" },
  { key: "lao", name: "Lao" },
  { key: "malayalam", name: "Malayalam" },
  { key: "myanmar", name: "Myanmar" },
  { key: "oriya", name: "Oriya" },
  { key: "sinhala", name: "Sinhala" },
  { key: "tamil", name: "Tamil" },
  { key: "telugu", name: "Telugu" },
  { key: "thai", name: "Thai" },
  { key: "tibetan", name: "Tibetan" },
] as const;

type Script = (typeof scripts)[number]["key"];

/** Made once for the first text that is not of Latin letters: it takes some 30 ms. */
const letters = atFirstUse(() =>
  scripts.map(({ key, name }) => ({
    key,
    own: new RegExp(`\\p{Script=${name}}`, "u"),
    shared: new RegExp(`\\p{Script_Extensions=${name}}`, "u"),
  })),
);

/** The first script with letters in a text; where there are none, one that its signs are used with. */
const scriptOf = (text: string): Script | undefined =>
  (letters().find(({ own }) => own.test(text)) ?? letters().find(({ shared }) => shared.test(text)))?.key;

/** A font's name, which is also what it is called among the resources of a file. */
export type FontKey = Weight | "chineseAndJapanese" | "japanese" | "korean" | "emoji" | Script | `${Script}Bold`;

const fileOf = (name: string, family: string, face: string): string =>
  `@expo-google-fonts/${name}/${face}/${family}_${face}.ttf`;

const files: Record<FontKey, string> = {
  regular: fileOf("noto-sans", "NotoSans", "400Regular"),
  bold: fileOf("noto-sans", "NotoSans", "600SemiBold"),
  monospaced: fileOf("noto-sans-mono", "NotoSansMono", "400Regular"),
  chineseAndJapanese: fileOf("noto-sans-sc", "NotoSansSC", "400Regular"),
  // For the names that are written with characters of their own, as 𠮷田.
  japanese: fileOf("noto-sans-jp", "NotoSansJP", "400Regular"),
  korean: fileOf("noto-sans-kr", "NotoSansKR", "400Regular"),
  emoji: fileOf("noto-emoji", "NotoEmoji", "400Regular"),
  ...(Object.fromEntries(
    scripts.flatMap(({ key, name }) => {
      // Noto has no Tibetan without serifs.
      const style = key === "tibetan" ? "Serif" : "Sans";
      const face = (weight: string) => fileOf(`noto-${style.toLowerCase()}-${key}`, `Noto${style}${name}`, weight);
      return [
        [key, face("400Regular")],
        [`${key}Bold`, face("600SemiBold")],
      ];
    }),
  ) as Record<Script | `${Script}Bold`, string>),
};

/** A font as fontkit reads it. */
export type Font = Extract<ReturnType<typeof fontkit.create>, { hasGlyphForCodePoint: unknown }>;

const read = new Map<FontKey, Uint8Array>();
const loaded = new Map<FontKey, Font>();

/** A font's file. Read when it is first needed, and kept. */
export const fontFile = (key: FontKey): Uint8Array => {
  const known = read.get(key);
  if (known !== undefined) return known;
  const bytes = readFileSync(require.resolve(files[key]));
  read.set(key, bytes);
  return bytes;
};

/** A font. Read when it is first needed, and kept. */
export const fontOf = (key: FontKey): Font => {
  const known = loaded.get(key);
  if (known !== undefined) return known;
  const font = fontkit.create(fontFile(key));
  if (font === null || !("hasGlyphForCodePoint" in font)) throw new Error(`${files[key]} is not one font`);
  loaded.set(key, font);
  return font;
};

/** A glyph of a font. */
export interface Glyph {
  /** 0 when the font has none. */
  id: number;
  /** In the font's units. */
  advanceWidth: number;
}

const glyphs = new WeakMap<Font, Map<number, Glyph>>();

/** A character's glyph. Remembered, since fontkit goes through the font's tables for it each time. */
export const glyphOf = (font: Font, codePoint: number): Glyph => {
  let known = glyphs.get(font);
  if (known === undefined) {
    known = new Map();
    glyphs.set(font, known);
  }
  const found = known.get(codePoint);
  if (found !== undefined) return found;
  const { id, advanceWidth } = font.glyphForCodePoint(codePoint) ?? { id: 0, advanceWidth: 0 };
  const glyph = { id, advanceWidth };
  known.set(codePoint, glyph);
  return glyph;
};

/** The font that has all of what is perceived as one character; undefined when none has. */
export const fontFor = (grapheme: string, weight: Weight): FontKey | undefined => {
  // An emoji's base may be in a text font; with its modifiers it is another sign.
  const isEmoji = /\p{Emoji_Presentation}/u.test(grapheme);
  const order: FontKey[] = isEmoji ? ["emoji"] : [weight, "chineseAndJapanese", "korean", "japanese", "emoji"];
  const script = scriptOf(grapheme);
  // First, though others may have some of its letters: runs of different scripts are shaped by different rules.
  if (script !== undefined) order.unshift(weight === "bold" ? `${script}Bold` : script);
  return order.find((key) => {
    const font = fontOf(key);
    return [...grapheme].every((character) => glyphOf(font, character.codePointAt(0) ?? 0).id !== 0);
  });
};
