import { PDFDict } from "pdf-lib";
import { type CrossReference, lastStart, readSections, startOffsetAt } from "./cross-reference.ts";
import { Damaged, TooComplex } from "./faults.ts";
import type { PdfFile } from "./pdf-file.ts";
import { recovered } from "./recovery.ts";
import { isSamePlace, type Location, SectionReader } from "./section-reader.ts";

/** Places of objects that are looked through for states that have not grown out of each other. */
const MAX_COMPARED = 2_000_000;
/** States whose cross-reference is wrong, so that all of them is looked through. */
const MAX_RECOVERIES = 8;
const WORD_BYTES = "startxref".length;

type Locations = CrossReference["locations"];

/** From one state of a file to a later one. */
export interface Step {
  /** Undefined for the first state. Not to be used any more after the next step. */
  before: PdfFile | undefined;
  after: PdfFile;
  /** Numbers of the objects that stand elsewhere than before, or are not there any more. */
  changed: ReadonlySet<number>;
}

interface Updated {
  crossReference: CrossReference;
  locations: Locations;
  changed: ReadonlySet<number>;
  /** Whether the sections say all by themselves. */
  isWhole: boolean;
}

/**
 * Goes through the states that a file was in, by the bytes that it had, the earliest first. Each section of its
 * cross-reference is read once, and each object: what all the steps cost together grows with the file alone.
 */
export class History {
  readonly #file: PdfFile;
  #current: PdfFile | undefined;
  #startAt: number | undefined;
  /** The places of the state before the current one, to become those of the next; undefined where they can't. */
  #spare: Locations | undefined;
  /** What the spare places lack of the current ones. */
  #lacking: Locations = new Map();
  #compared = 0;
  #recoveries = 0;

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /**
   * Goes on to the state of the file's first bytes. Throws `Damaged` when these are no file: then the state stays.
   * @param length more than that of the step before
   */
  next(length: number): Step {
    const before = this.#current;
    try {
      return this.#read(length);
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      this.#spare = undefined;
      const after = this.#recovered(length);
      const { locations } = after.crossReference;
      const changed = before === undefined ? new Set<number>() : this.#differences(before, locations);
      this.#current = after;
      return { before, after, changed };
    }
  }

  /** As a document with such a cross-reference is taken in, too. */
  #recovered(length: number): PdfFile {
    const { bytes, crossReference } = this.#file;
    if (crossReference.startOffset === null && length === bytes.length) return this.#file;
    this.#recoveries += 1;
    if (this.#recoveries > MAX_RECOVERIES) throw new Damaged("too many states of it are broken");
    return recovered(bytes.subarray(0, length));
  }

  #read(length: number): Step {
    const bytes = this.#file.bytes.subarray(0, length);
    const before = this.#current;
    const from = Math.max(0, (before?.bytes.length ?? 0) - WORD_BYTES);
    const startAt = lastStart(bytes, from) ?? this.#startAt;
    if (startAt === undefined) throw new Damaged("it has no cross-reference");
    this.#startAt = startAt;
    const start = startOffsetAt(bytes, startAt);
    const { locations, changed, ...update } = this.#updatedTo(bytes, start);
    const spare = update.isWhole ? undefined : before?.crossReference.locations;
    const after = this.#file.before({ ...update.crossReference, locations }, length);
    if (!(after.catalog instanceof PDFDict)) throw new Damaged("it has no catalog");
    this.#spare = spare;
    this.#lacking = update.crossReference.locations;
    this.#current = after;
    return { before, after, changed };
  }

  /** What the sections say that the current state does not have, and what it becomes by them. */
  #updatedTo(bytes: Uint8Array, start: number): Updated {
    const before = this.#current;
    const known = before?.crossReference.startOffset ?? null;
    if (before !== undefined && start === known) {
      const locations = this.#copyOfCurrent(before);
      const crossReference = { ...before.crossReference, locations: new Map<number, Location | null>() };
      return { crossReference, locations, changed: new Set<number>(), isWhole: false };
    }
    const reader = new SectionReader(bytes, this.#file.context, this.#file.allowance);
    const { crossReference, metKnown } = readSections(reader, start, known);
    if (before === undefined || !metKnown) {
      const { locations } = crossReference;
      const changed = before === undefined ? new Set<number>() : this.#differences(before, locations);
      return { crossReference, locations, changed, isWhole: true };
    }
    const locations = this.#copyOfCurrent(before);
    const changed = new Set<number>();
    for (const [number, location] of crossReference.locations) {
      if (!isSamePlace(locations.get(number), location)) changed.add(number);
      locations.set(number, location);
    }
    const size = Math.max(crossReference.size, before.crossReference.size);
    return { crossReference: { ...crossReference, size }, locations, changed, isWhole: false };
  }

  /** The places of the current state, to be changed. */
  #copyOfCurrent({ crossReference: { locations } }: PdfFile): Locations {
    if (this.#spare === undefined) {
      this.#spend(locations.size);
      return new Map(locations);
    }
    for (const [number, location] of this.#lacking) this.#spare.set(number, location);
    return this.#spare;
  }

  #differences({ crossReference: { locations: former } }: PdfFile, locations: Locations): Set<number> {
    this.#spend(former.size + locations.size);
    const numbers = new Set([...former.keys(), ...locations.keys()]);
    return new Set([...numbers].filter((number) => !isSamePlace(former.get(number), locations.get(number))));
  }

  #spend(count: number): void {
    this.#compared += count;
    if (this.#compared > MAX_COMPARED) throw new TooComplex("its updates have not grown out of each other");
  }
}
