import { FIRST_PRINTED, type Shifting } from "../fonts/shifting.ts";
import { eachCode } from "./codes.ts";
import { type Edit, MAX_IN_STRINGS } from "./reading.ts";

/** Codes that move what follows them on their line, for some readers only. */

/** One that was shown; nothing has followed it yet. */
interface Pending {
  code: number;
  font: string;
  edit: Edit | null;
  /** Whether what its font does is known, and is mended by the edit. */
  isKnown: boolean;
  isMended: boolean;
}

const SPACE = FIRST_PRINTED;
const [RETURN, NEWLINE] = [0x0d, 0x0a];
/** So many may wait for what follows: others are taken to be followed. */
const MOST_PENDING = 1_000;

export class ShiftedText {
  #pending: Pending[] = [];
  readonly #edits: Edit[] = [];
  /** By names of fonts that are not known: codes that something follows. */
  readonly #followed: (font: string, code: number) => void;
  #isDoubtful = false;

  constructor(followed: (font: string, code: number) => void) {
    this.#followed = followed;
  }

  /** Spaces that are to stand instead. */
  get edits(): readonly Edit[] {
    return this.#edits;
  }

  /** Whether something follows that not all readers put to the same place, and no edit mends it. */
  get isDoubtful(): boolean {
    return this.#isDoubtful;
  }

  /** A line begins. */
  begin(): void {
    if (this.#pending.length > 0) this.#pending = [];
  }

  /**
   * Takes what is shown.
   * @param start where it stands in the content
   * @param shifting undefined where the font is not known
   * @param hasWordSpaces whether spaces are wider than their font says
   */
  show(text: Buffer, start: number, font: string, shifting: Shifting | undefined, hasWordSpaces: boolean): void {
    if (shifting?.codes.size === 0) {
      this.#flush();
      return;
    }
    eachCode(text, (code, at, end) => {
      const isShifting = shifting === undefined ? code < FIRST_PRINTED : shifting.codes.has(code);
      if (!isShifting && code !== SPACE) this.#flush();
      // Two line ends are one.
      const isSecond = text[at] === NEWLINE && text[at - 1] === RETURN && end - at === 1;
      if (!isShifting || isSecond) return;
      const edit = spaceFor(text, code, at, end, start);
      const isMended = edit !== null && shifting?.areSpaces === true && !hasWordSpaces;
      this.#pending.push({ code, font, edit, isKnown: shifting !== undefined, isMended });
      if (this.#pending.length > MOST_PENDING) this.#flush();
    });
  }

  #flush(): void {
    for (const { code, font, edit, isKnown, isMended } of this.#pending) {
      if (!isKnown) this.#followed(font, code);
      else if (!isMended || edit === null) this.#isDoubtful = true;
      else if (this.#edits.length <= MAX_IN_STRINGS) this.#edits.push(edit);
    }
    this.begin();
  }
}

/** A space as long as a code is written; null where there is none. */
const spaceFor = (text: Buffer, code: number, at: number, end: number, start: number): Edit | null => {
  const written = text.toString("latin1", at, end);
  const place = { start: start + at, end: start + end };
  if (text[at] === RETURN && text[end] === NEWLINE) return { ...place, end: place.end + 1, instead: "\\ " };
  if (end - at === 1 && text[at] === code) return { ...place, instead: " " };
  if (/^[\da-fA-F]{2}$/.test(written)) return { ...place, instead: "20" };
  if (!written.startsWith("\\")) return null;
  return { ...place, instead: end - at === 2 ? "\\ " : `\\${"040".slice(4 - (end - at))}` };
};
