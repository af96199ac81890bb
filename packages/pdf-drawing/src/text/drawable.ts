import { fontFor } from "./fonts.ts";
import { graphemesOf } from "./graphemes.ts";

/** What is drawn as nothing, or left out. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Variation_Selector}\p{White_Space}]/gu;

/** The characters of a text, as they are perceived, that no font has: in print, one could not be told from another. */
export const undrawableIn = (text: string): string[] => {
  const seen = graphemesOf(text.normalize("NFC")).map((grapheme) => grapheme.replace(UNSEEN, ""));
  return [...new Set(seen.filter((grapheme) => grapheme !== "" && fontFor(grapheme, "regular") === undefined))];
};
