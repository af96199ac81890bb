import { DocxRefused } from "../refused.ts";

/** Many times what a paragraph that people read holds. Office programs take a time that grows faster than these do. */
const MAX_FIELDS = 1_000;
const MAX_CHARACTERS = 100_000;

/** What the paragraph holds that is being read. @throws {DocxRefused} where it is more than a paragraph may. */
export class Paragraph {
  #fields = 0;
  #characters = 0;

  begin(): void {
    this.#fields = 0;
    this.#characters = 0;
  }

  addField(): void {
    if (++this.#fields > MAX_FIELDS) throw tooComplex(`${MAX_FIELDS} fields`);
  }

  addText(characters: number): void {
    this.#characters += characters;
    if (this.#characters > MAX_CHARACTERS) throw tooComplex(`${MAX_CHARACTERS} characters`);
  }
}

const tooComplex = (what: string): DocxRefused =>
  new DocxRefused("too_complex", `the file has a paragraph of more than ${what}`);
