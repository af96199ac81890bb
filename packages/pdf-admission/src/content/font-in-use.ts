import type { NamedResources } from "./color-spaces.ts";

/** What is asked of the font that text is in, once for each time that it is another one. */
export class FontInUse {
  readonly #resources: NamedResources | null;
  #name: string | null = null;
  #isDrawn = false;
  #widest = 0;

  constructor(resources: NamedResources | null) {
    this.#resources = resources;
  }

  /** Whether its glyphs are contents, or may be: of those of whoever uses the content that is not known. */
  isDrawn(name: string | null): boolean {
    this.#ask(name);
    return name !== null && this.#isDrawn;
  }

  /** How far its widest glyph moves text, as a share of the text's size. */
  widest(name: string | null): number {
    this.#ask(name);
    return this.#widest;
  }

  #ask(name: string | null): void {
    if (name === null || name === this.#name) return;
    this.#name = name;
    this.#isDrawn = this.#resources?.isDrawnFont(name) ?? true;
    this.#widest = this.#resources?.widestGlyphOf(name) ?? 0;
  }
}
