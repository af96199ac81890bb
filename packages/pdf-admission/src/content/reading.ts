import type { Begun } from "./begun-with.ts";
import type { Shown } from "./codes.ts";
import type { Reach } from "./far-paths.ts";
import type { InLayers } from "./layer-marks.ts";
import type { Sets, Uses } from "./used.ts";

/** What reading a content by the rules of its syntax finds. */

/** How a content breaks the rules, so that readers go on each in its own way. */
export type Fault =
  /** Tokens that are none, or do not end. */
  | "broken"
  | "unknown_operator"
  /** Too few, too many, or of other kinds. */
  | "operands"
  /** Numbers that say nothing: dashes and widths below zero, styles that do not exist. */
  | "value"
  /** Text outside of text, states within it, paths that something else goes on with. */
  | "place"
  /** Other components than the color space has, a space or a font that is not there, colors where none may be. */
  | "resource"
  | "inline_image"
  /** Codes for which each reader shows another character in a font that the file does not bring along. */
  | "code"
  /** Dots that lines end in, patterns for pictures of bits or lines around letters, colors mixed through a mask. */
  | "painting"
  /** A text or a path that does not end, or operands of nothing. */
  | "left_open";

/** A place in a content, and what stands there instead, blanks beside. */
export interface Edit {
  start: number;
  end: number;
  instead: string;
}

/**
 * So many tabs and line ends in strings a content may have that are written otherwise: listings have many. Those beyond are
 * not noted, as each takes memory until the content is read.
 */
export const MAX_IN_STRINGS = 200_000;

/** An area that is painted with the lines around it, by the operator from `start` to `end` of the path from `path` on. */
export interface Outlined {
  path: number;
  start: number;
  end: number;
  /** What of it is for its lines alone: parts without a width, and what makes it a clip, too. */
  ofLines: readonly Edit[];
  /** Whether something stands within it that may not stand twice. */
  isMixed: boolean;
  /** Whether its lines are seen through where those of who uses the content are. */
  isAsBegun: boolean;
}

/** What a content was found to be. */
export interface ContentReading {
  /** The first fault that can't be mended. */
  fault: Fault | null;
  /** What is to be written otherwise, for all readers to show what most of them do. */
  edits: readonly Edit[];
  /** Areas without a width, and what stands instead: some readers draw lines there, others nothing. */
  flatAreas: readonly Edit[];
  /** Areas painted at once with lines that are seen through: some readers then see the area through the lines, others not. */
  outlined: readonly Outlined[];
  /** Sides of dashed boxes, and what stands instead, longer than these; and whether dashes are as long as to leave out sides. */
  dashedBoxes: { edits: readonly Edit[]; areLong: boolean };
  /** Of a glyph that reaches beyond its box: what is to stand where it says that, as long as it may be. */
  widened: Edit | null;
  /** Parts that are marked and not ended, and ends of none (ISO 32000-2, 14.6). */
  openMarks: number;
  surplusMarks: number;
  /** Whether some content belongs to a layer that is written where it is used, or is one by a name that its resources lack. */
  hasOwnLayers: boolean;
  inLayers: InLayers;
  /** Saves that are not restored. */
  openSaves: number;
  /** Whether it leaves a state behind, where it is not ended with the content: it sets one outside of saves of its own. */
  leavesState: boolean;
  /** What it uses of its resources that may hold contents. */
  uses: Uses;
  /** What it uses while that is seen through. */
  clear: ReadonlyMap<string, ReadonlySet<string>>;
  /** In which manners it draws forms and pictures, by their names, and what it sets of that itself. */
  drawn: ReadonlyMap<string, number>;
  sets: Sets;
  begun: Begun;
  /** Whether it is a glyph in colors of its own. */
  isColored: boolean;
  /** Whether it is a glyph that draws more than once. */
  isRepeated: boolean;
  /** Fonts that it names and its resources lack. */
  lackingFonts: ReadonlySet<string>;
  /** By names of fonts that its file may not bring along: for each code whether it shows that. */
  shownCodes: ReadonlyMap<string, Shown>;
  /** Whether it draws a form turned by other than quarters. */
  turnsForms: boolean;
  /** How many operators it has. */
  operators: number;
  /** How far its lines lead. */
  reach: Reach;
}
