import { endsToken, isWhitespace } from "./characters.ts";
import { operatorAt } from "./content-operators.ts";
import { ARRAY, BROKEN, ContentTokens, DICT, END, END_OF_ARRAY, END_OF_DICT, WORD } from "./content-tokens.ts";

/** How deep graphics states may be saved, or restored without being saved; readers keep some thirty (ISO 32000-1, annex C). */
const MAX_UNBALANCED = 256;
/** How many parts of content may be marked within each other. */
const MAX_MARKS = 10_000;

/** What a page's content leaves behind, counted over its graphics state operators (ISO 32000-2, 8.4.2). */
export interface LeftOpen {
  /**
   * Whether it breaks the syntax of contents, or saves more than readers keep: some of them stop there, and draw nothing
   * that follows.
   */
  dubious: boolean;
  /** Restores without a save before them. */
  surplusRestores: number;
  /** Saves without a restore after them. */
  openSaves: number;
  /** Whether a text object was begun and not ended. */
  inText: boolean;
  /** Parts of content that are marked (ISO 32000-2, 14.6), as one that belongs to a layer is, and not ended. */
  openMarks: number;
}

/** Walks over a page's content, given as its decoded streams in order. */
export const leftOpen = (streams: readonly Uint8Array[]): LeftOpen => {
  const walk = new Walk();
  // Streams part between tokens: what one of them opens, or gives as an operand, the next one may use.
  for (const stream of streams) walk.through(new ContentTokens(stream));
  return walk.leftOpen();
};

class Walk {
  #saves = 0;
  #fewestSaves = 0;
  #inText = false;
  #marks = 0;
  #dubious = false;
  #operands = 0;
  #nesting = 0;

  /** Walks on to the end, or until it is dubious: nothing that follows could change that. */
  through(tokens: ContentTokens): void {
    while (!this.#dubious) {
      const kind = tokens.take();
      if (kind === END) return;
      if (kind === WORD) this.#word(tokens);
      else if (kind === BROKEN) this.#dubious = true;
      else this.#operand(kind);
    }
  }

  #operand(kind: number): void {
    if (kind === END_OF_ARRAY || kind === END_OF_DICT) {
      this.#nesting -= 1;
      if (this.#nesting < 0) this.#dubious = true;
      return;
    }
    if (this.#nesting === 0) this.#operands += 1;
    if (kind === ARRAY || kind === DICT) this.#nesting += 1;
  }

  #word(tokens: ContentTokens): void {
    const operator = operatorAt(tokens.bytes, tokens.start, tokens.at);
    const name = operator?.name ?? imageWordAt(tokens);
    const needed = operator?.operands?.length ?? 0;
    if (name === undefined || this.#operands < needed || this.#nesting !== 0) this.#dubious = true;
    this.#operands = 0;
    this.#nesting = 0;
    if (name !== undefined) this.#operator(name);
    if (name === "ID" && !isPastInlineImage(tokens)) this.#dubious = true;
  }

  #operator(name: string): void {
    if (name === "q") this.#saves += 1;
    else if (name === "Q") this.#saves -= 1;
    else if (name === "BT") this.#inText = true;
    else if (name === "ET") this.#inText = false;
    else if (name === "BDC" || name === "BMC" || name === "EMC") this.#mark(name);
    this.#fewestSaves = Math.min(this.#fewestSaves, this.#saves);
    if (Math.abs(this.#saves) > MAX_UNBALANCED) this.#dubious = true;
  }

  #mark(name: string): void {
    if (name !== "EMC") this.#marks += 1;
    else if (this.#marks > 0) this.#marks -= 1;
    if (this.#marks > MAX_MARKS) this.#dubious = true;
  }

  leftOpen(): LeftOpen {
    return {
      surplusRestores: -this.#fewestSaves,
      openSaves: this.#saves - this.#fewestSaves,
      inText: this.#inText,
      openMarks: this.#marks,
      dubious: this.#dubious || this.#nesting !== 0,
    };
  }
}

/** The words between which an inline image's data stand (8.9.7), after its `BI`. */
const imageWordAt = ({ bytes, start, at }: ContentTokens): "ID" | "EI" | undefined => {
  const [first, second] = [bytes[start], bytes[start + 1]];
  if (at - start !== 2) return undefined;
  if (first === 0x49 && second === 0x44) return "ID";
  return first === 0x45 && second === 0x49 ? "EI" : undefined;
};

/** Goes on after `EI` that stands alone between white space; false when there is none. */
const isPastInlineImage = (tokens: ContentTokens): boolean => {
  const { bytes } = tokens;
  for (let at = tokens.at + 1; at + 1 < bytes.length; at += 1) {
    const isAlone = isWhitespace(bytes[at - 1] ?? 0) && endsToken(bytes[at + 2] ?? 0x20);
    if (bytes[at] !== 0x45 || bytes[at + 1] !== 0x49 || !isAlone) continue;
    tokens.at = at + 2;
    return true;
  }
  return false;
};
