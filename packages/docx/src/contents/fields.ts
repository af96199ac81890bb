import type { ChunkIndex, XmlWriter } from "../package/xml-writer.ts";
import { type DocxRefused, damaged, outsideReference } from "../refused.ts";

/** Fields that bring in what lies elsewhere (ECMA-376, part 1, 17.16.5, and older ones that programs still read). */
const REACHING_OUT: ReadonlySet<string> = new Set([
  "INCLUDEPICTURE",
  "INCLUDETEXT",
  "INCLUDE",
  "IMPORT",
  "LINK",
  "DDE",
  "DDEAUTO",
  "DATABASE",
  "RD",
  "GLOSSARY",
]);

/** The field's name: its first word, without the quotes and the invisible characters that may stand around it. */
const NAME = /^[^\p{L}\p{N}=]*([\p{L}\p{N}]*)/u;

/** An instruction whose first word is whole. */
const NAMED = /\S\s/;

const unreadable = (): DocxRefused => damaged("a field cannot be read");

/** @throws {DocxRefused} where the field brings in what lies elsewhere. */
export const checkField = (instruction: string): void => {
  // Invisible characters within a word, and wide letters, are no other word to a reader.
  const plain = instruction.normalize("NFKC").replace(/[\p{Cf}\p{Cc}]/gu, (it) => (/\s/.test(it) ? " " : ""));
  const name = NAME.exec(plain)?.[1]?.toUpperCase() ?? "";
  if (REACHING_OUT.has(name)) throw outsideReference(`a field ${name}`);
};

/** A field between its begin and its end. */
interface Field {
  instruction: string;
  chunks: ChunkIndex[];
  /** Its instruction is over; what follows is what is shown. */
  isShown: boolean;
}

/**
 * The fields of a part that are written as marks within the text. An office program puts a field's instruction together
 * from its pieces, over runs and paragraphs; here it is put together once, judged, and written in one piece, so that no
 * reader can put together another.
 */
export class Fields {
  readonly #writer: XmlWriter;
  /** Open fields, by the stories that lie in one another: a text box in a field is a story of its own. */
  readonly #stories: Field[][] = [[]];

  constructor(writer: XmlWriter) {
    this.#writer = writer;
  }

  enterStory(): void {
    this.#stories.push([]);
  }

  /** @throws {DocxRefused} where a field is left open before it says what it is: what follows would become its name. */
  leaveStory(): void {
    if (this.#stories.pop()?.some(({ isShown }) => !isShown)) throw unreadable();
  }

  /** A field's mark. @throws {DocxRefused} */
  mark(type: string): void {
    const fields = this.#story();
    if (type === "begin") {
      this.nest();
      fields.push({ instruction: "", chunks: [], isShown: false });
    } else if (type === "separate") {
      this.#judge(fields.at(-1));
    } else if (type === "end") {
      this.#judge(fields.pop());
    } else {
      throw unreadable();
    }
  }

  /** Another field begins here. @throws {DocxRefused} where it would make the name of the one around it. */
  nest(): void {
    const outer = this.#story().at(-1);
    if (outer && !outer.isShown && !NAMED.test(outer.instruction)) throw unreadable();
  }

  /** Whether text that stands here is a part of a field's instruction. */
  get isInInstruction(): boolean {
    const field = this.#story().at(-1);
    return field !== undefined && !field.isShown;
  }

  /** A piece of an instruction, which was written in a chunk of its own. */
  instruct(text: string, chunk: ChunkIndex): void {
    const field = this.#story().at(-1);
    if (!field || field.isShown) {
      // An instruction outside of a field: readers ignore it, so it is left out.
      this.#writer.erase(chunk);
      return;
    }
    field.instruction += text;
    field.chunks.push(chunk);
  }

  #story(): Field[] {
    const story = this.#stories.at(-1);
    if (!story) throw new Error("all stories were left");
    return story;
  }

  #judge(field: Field | undefined): void {
    if (!field || field.isShown) return;
    field.isShown = true;
    checkField(field.instruction);
    const [first, ...more] = field.chunks;
    if (first !== undefined) this.#writer.replaceText(first, field.instruction);
    for (const chunk of more) this.#writer.erase(chunk);
  }
}
