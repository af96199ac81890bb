import { graphemesOf, type Run, runsOf, widthOfRuns } from "@rubrica/pdf-drawing/text";
import type { Face, Span, Text, Tone } from "./blocks.ts";

/** How text looks where it does not say otherwise. Sizes in points. */
export interface Style {
  face: Face;
  size: number;
  tone: Tone;
}

/** Text of one style on a line. `x` from the line's start, in points. */
export interface Piece extends Style {
  text: string;
  x: number;
  width: number;
  link: string | null;
}

export interface Line {
  pieces: Piece[];
  /** In points: the pieces' widths, and the largest of their sizes. */
  width: number;
  size: number;
}

/** Distance of baselines, as a multiple of the size. */
export const LEADING = 1.4;

const isPlain = /^[\x20-\x7e]*$/;

/** Text in runs by the fonts that have its glyphs. */
export const setRuns = (text: string, face: Face): Run[] =>
  isPlain.test(text) ? [{ font: face, text }] : runsOf(text, face);

/** Breaks texts into lines. One for each document: it remembers the widths of words. */
export class LineBreaker {
  readonly #widths = new Map<string, number>();

  /** The lines of one paragraph, none wider than `width` points. Words that are wider are broken anywhere. */
  lines(text: Text, width: number, style: Style): Line[] {
    const paragraph = new Paragraph(width);
    for (const span of typeof text === "string" ? [{ text }] : text) this.#add(paragraph, span, style);
    return paragraph.lines;
  }

  #add(paragraph: Paragraph, { text, link, ...own }: Span, style: Style): void {
    const set = { ...style, ...own, link: link ?? null };
    const space = this.#width(" ", set);
    for (const token of text.match(/\s+|\S+/g) ?? []) {
      if (/^\s/.test(token)) paragraph.space(space);
      else this.#addWord(paragraph, token, set);
    }
  }

  #addWord(paragraph: Paragraph, word: string, style: Style & { link: string | null }): void {
    const width = this.#width(word, style);
    if (width <= paragraph.width) {
      paragraph.add({ ...style, text: word, x: 0, width });
      return;
    }
    let part = "";
    let partWidth = 0;
    for (const segment of graphemesOf(word)) {
      const added = this.#width(segment, style);
      if (part !== "" && partWidth + added > paragraph.width) {
        paragraph.add({ ...style, text: part, x: 0, width: partWidth });
        part = "";
        partWidth = 0;
      }
      part += segment;
      partWidth += added;
    }
    paragraph.add({ ...style, text: part, x: 0, width: partWidth });
  }

  #width(text: string, { face, size }: Style): number {
    const key = `${face} ${text}`;
    const known = this.#widths.get(key);
    if (known !== undefined) return known * size;
    const width = widthOfRuns(setRuns(text, face), 1);
    this.#widths.set(key, width);
    return width * size;
  }
}

/** Lines while they are filled. */
class Paragraph {
  readonly width: number;
  readonly lines: Line[] = [{ pieces: [], width: 0, size: 0 }];
  #space = 0;

  constructor(width: number) {
    this.width = width;
  }

  space(width: number): void {
    this.#space = width;
  }

  add(piece: Piece): void {
    let line = this.#line();
    if (line.pieces.length > 0 && line.width + this.#space + piece.width > this.width) {
      this.lines.push({ pieces: [], width: 0, size: 0 });
      line = this.#line();
    }
    const space = line.pieces.length > 0 ? this.#space : 0;
    const last = line.pieces.at(-1);
    if (last && isSameStyle(last, piece)) {
      last.text += (space > 0 ? " " : "") + piece.text;
      last.width += space + piece.width;
    } else {
      line.pieces.push({ ...piece, x: line.width + space });
    }
    line.width += space + piece.width;
    line.size = Math.max(line.size, piece.size);
    this.#space = 0;
  }

  #line(): Line {
    const line = this.lines.at(-1);
    if (!line) throw new Error("a paragraph has a line");
    return line;
  }
}

const isSameStyle = (a: Piece, b: Piece): boolean =>
  a.face === b.face && a.size === b.size && a.tone === b.tone && a.link === b.link;
