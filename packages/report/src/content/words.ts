import type { Span, Text } from "../layout/blocks.ts";

/** What people wrote is shown up to so many characters: a page has to hold it. */
const MAX_CHARACTERS = 1_500;

/** A text of somebody's, up to what a page can hold. */
export const clipped = (text: string, max = MAX_CHARACTERS): string => {
  // Cut by code units first: the text itself has no limit here.
  const characters = [...text.slice(0, max * 2)];
  return characters.length > max || text.length > max * 2 ? `${characters.slice(0, max).join("")}…` : text;
};

/** A hash in full. */
export const hash = (sha256: string): Span[] => [{ text: sha256, face: "monospaced", size: 8.5 }];

/** A note. */
export const small = (text: string): Text => [{ text, size: 7, tone: "muted" }];

/** A hash under a picture. */
export const smallHash = (sha256: string): Text => [{ text: sha256, face: "monospaced", size: 5.8, tone: "muted" }];
