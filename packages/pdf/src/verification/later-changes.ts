import { isWhitespace } from "@rubrica/pdf-reading/characters";
import { unlessUnreadable } from "@rubrica/pdf-reading/faults";
import { History, type Step } from "@rubrica/pdf-reading/history";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { type Kept, permissionKept } from "./changes.ts";
import { Content } from "./content.ts";
import type { LaterChanges } from "./findings.ts";

/** How often the content is gathered anew from its beginning, after a state of the file that could not be read to its end. */
const MAX_RESTARTS = 8;

/** A signed state of a file, and what was done to it up to the next one. */
interface State {
  length: number;
  permitted: Content["permitted"];
  kept: Kept;
}

/**
 * What was changed after each of some signed revisions, which are the file's first bytes. Each revision is compared
 * with the next one alone: what was permitted at each step was permitted at all.
 */
export const laterChanges = (file: PdfFile, lengths: Iterable<number>): Map<number, LaterChanges> => {
  const end = lengthWithoutSpace(file);
  const sorted = [...new Set(lengths)].sort((one, other) => one - other);
  const found = new Map<number, LaterChanges>(sorted.map((length) => [length, length >= end ? "none" : "other"]));
  const signed = sorted.filter((length) => length < end);
  let kept: Kept = 1;
  for (const state of statesOf(file, signed).reverse()) {
    kept = kept === null || state.kept === null ? null : (Math.max(kept, state.kept) as 1 | 2 | 3);
    const isPermitted = kept !== null && kept <= (state.permitted ?? 3);
    found.set(state.length, isPermitted ? "signing" : "other");
  }
  return found;
};

/** The states at which a file was signed, the earliest first, but those that can't be read. */
const statesOf = (file: PdfFile, signed: readonly number[]): State[] => {
  const states: State[] = [];
  const history = new History(file);
  const contents = new Contents();
  for (const length of signed.length === 0 ? [] : [...signed, file.bytes.length]) {
    const step = unlessUnreadable(() => history.next(length));
    if (step === undefined) continue;
    const former = states.at(-1);
    if (former !== undefined) former.kept = contents.kept(step);
    states.push({ length, permitted: contents.take(step), kept: null });
  }
  // What is left is the file itself, which nothing came after.
  const last = states.at(-1);
  if (last?.length === file.bytes.length) states.pop();
  return states;
};

/** The content of one state after the other. */
class Contents {
  #content = new Content();
  #isWhole = false;
  #restarts = 0;

  kept({ before, after, changed }: Step): Kept {
    if (before === undefined || !this.#isWhole) return null;
    return unlessUnreadable(() => permissionKept(before, after, changed, this.#content)) ?? null;
  }

  /** Takes a state in; returns what changes its signatures permit. */
  take({ after, changed }: Step): Content["permitted"] {
    if (!this.#isWhole) {
      if (this.#restarts >= MAX_RESTARTS) return null;
      this.#restarts += 1;
      this.#content = new Content();
    }
    const taken = unlessUnreadable(() => {
      this.#content.take(after, changed);
      return true;
    });
    this.#isWhole = taken === true;
    return this.#content.permitted;
  }
}

const lengthWithoutSpace = ({ bytes }: PdfFile): number => {
  let end = bytes.length;
  while (end > 0 && isWhitespace(bytes[end - 1] ?? 0)) end -= 1;
  return end;
};
