import { type Fields, fieldsOf } from "@rubrica/pdf-reading/annotations/fields";
import type { Written } from "@rubrica/pdf-reading/annotations/written";
import { unlessDamaged } from "@rubrica/pdf-reading/faults";
import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile, UncachedObject } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, type PDFContext, PDFDict, PDFName, type PDFObject, PDFRef } from "pdf-lib";
import { costly, type Judge, judges } from "./active-entries.ts";
import type { ActiveContent } from "./admission.ts";
import { isAnnotation, settledAnnotation } from "./annotations.ts";
import { drawAll, type ToDraw } from "./drawn.ts";
import { Layers } from "./layers/layers.ts";
import { type Judge as Alikeness, OTHERWISE, type Otherwise, refused } from "./otherwise.ts";
import { alike } from "./shown-alike.ts";

const key = (name: string) => PDFName.of(name);

const [NEED_APPEARANCES, APPEARANCES, LENGTH, SHADING, MATRIX] = names(
  "NeedAppearances",
  "AP",
  "Length",
  "Shading",
  "Matrix",
);

/** An entry of a dictionary that makes a file active, or be seen otherwise, and what it is. */
interface ActiveEntry extends Otherwise {
  name: PDFName;
  written?: Written;
}

/** Entries that many dictionaries may share, whose verdict is of what they hold, and of which of these kinds the dictionary is. */
const shared = new Set(["ExtGState", "ColorSpace", "Shading", "Properties"].map(key));
const ofKind = ["PatternType", "ShadingType"].map(key);
/** What tells of which kind something is: PDFium does not follow references to it everywhere. */
const kinds = new Set(["Subtype", "S", "FT"].map(key));
/**
 * Entries of nothing that change nothing that is drawn. Others are no entries (ISO 32000-2, 7.3.7), but for some readers,
 * which take them for ones with a value of their own, and no other entry in their place.
 */
const nothingMatters = new Set(
  (
    "AF A B ClassMap CreationDate Creator Dest Dests First IDTree Info K Last LastModified Metadata ModDate Names Next Outlines " +
    "P PageLabels ParentTree Pg PieceInfo Popup Prev Producer RoleMap SE StructParent StructParents StructTreeRoot Thumb"
  )
    .split(" ")
    .map(key),
);

/** Finds active content in the objects of a file. What many of them share is judged once. */
export class ActiveContentFinder {
  readonly #file: PdfFile;
  readonly #layers: Layers;
  readonly #fields: Fields;
  readonly #toDraw: ToDraw[] = [];
  /** Entries that many dictionaries shared, which are to share what stands there instead. */
  readonly #toShare: { dict: PDFDict; name: PDFName; instead: PDFObject }[] = [];
  readonly #judged = new Map<Judge, WeakMap<PDFObject, { kind: ActiveContent | null }>>();
  readonly #settled = new Map<string, Otherwise | null>();

  constructor(file: PdfFile) {
    this.#file = file;
    this.#layers = new Layers(file);
    this.#fields = fieldsOf(file);
  }

  /** Which active content stands in an object; what it refers to has to be looked at as well. */
  *in({ object, data }: Pick<UncachedObject, "object" | "data">): Generator<ActiveContent> {
    for (const dict of dictionariesIn(object))
      for (const { kind } of this.#entries(dict, data !== null && dict === object)) yield kind;
  }

  /** Takes active content out of an object, in place. */
  disarm(object: PDFObject, isStream: boolean): void {
    // All of them first: what comes in the place of something is looked at once the file is written.
    for (const dict of [...dictionariesIn(object)]) {
      for (const { name, instead, written } of this.#entries(dict, isStream && dict === object)) {
        if (written !== undefined) this.#toDraw.push({ annotation: dict, written });
        if (instead === undefined) dict.delete(name);
        else if (shared.has(name) && dict.get(name) instanceof PDFRef) this.#toShare.push({ dict, name, instead });
        else dict.set(name, instead);
      }
      // What it asks for is done; it is no fault by itself.
      dict.delete(NEED_APPEARANCES);
    }
  }

  /**
   * In the file that it was put into: has shared what was shared, and gives what was disarmed and said something without
   * an appearance one of that.
   */
  async complete(context: PDFContext): Promise<void> {
    const places = new Map<PDFObject, PDFRef>();
    for (const { dict, name, instead } of this.#toShare) {
      const place = places.get(instead) ?? context.register(instead);
      places.set(instead, place);
      dict.set(name, place);
    }
    if (this.#toDraw.length > 0) await drawAll(context, this.#toDraw);
  }

  /** The entries of a dictionary that make a file active: scripts, programs, and what happens by itself or reaches out. */
  #entries(dict: PDFDict, isStream: boolean): ActiveEntry[] {
    const found: ActiveEntry[] = [];
    // What says so is judged as a stream; readers know better.
    if (dict.has(LENGTH) && !isStream) found.push({ name: LENGTH, ...OTHERWISE });
    for (const [name, value] of dict.entries()) {
      const [judge, alikeness] = [judges.get(name), alike.get(name)];
      if (this.#file.isNothing(value)) {
        if (!nothingMatters.has(name)) found.push({ name, ...OTHERWISE });
        continue;
      }
      const resolved = judge || alikeness ? unlessDamaged(() => this.#file.resolve(value)) : undefined;
      if (resolved === undefined) continue;
      const kind = judge === undefined ? null : this.#kindOf(judge, resolved, dict);
      const otherwise = alikeness === undefined ? null : this.#otherwise(alikeness, name, value, resolved, dict);
      const isElsewhere = kinds.has(name) && value instanceof PDFRef && resolved instanceof PDFName;
      if (kind !== null) found.push({ name, kind });
      else if (isElsewhere) found.push({ name, ...OTHERWISE, instead: resolved });
      else if (otherwise !== null) found.push({ name, ...otherwise });
    }
    if (isAnnotation(dict)) {
      const settled = unlessDamaged(() => settledAnnotation(dict, this.#file, this.#layers, this.#fields));
      // What can't be read is not known to be alike.
      found.push(...(settled ?? [{ name: APPEARANCES, ...OTHERWISE }]));
    }
    return found;
  }

  #otherwise(judge: Alikeness, name: PDFName, given: PDFObject, value: PDFObject, dict: PDFDict): Otherwise | null {
    const judged = (): Otherwise | null => {
      const verdict = unlessDamaged(() => ({ found: judge(value, dict, this.#file, this.#layers) }));
      // What can't be read is not known to be alike.
      return verdict === undefined ? refused(value) : verdict.found;
    };
    if (!(given instanceof PDFRef && value instanceof PDFDict && shared.has(name))) return judged();
    // A pattern's shading is judged with its matrix.
    const place = `${given} ${name}${ofKind.map((kind) => dict.has(kind))}${name === SHADING ? dict.get(MATRIX) : ""}`;
    const known = this.#settled.get(place);
    if (known !== undefined) return known;
    const settled = judged();
    this.#settled.set(place, settled);
    return settled;
  }

  #kindOf(judge: Judge, value: PDFObject, dict: PDFDict): ActiveContent | null {
    // The others look at no more than a few entries, and at the dictionary that they stand in.
    if (!costly.has(judge)) return unlessDamaged(() => judge(value, dict, this.#file)) ?? null;
    const judged = this.#judged.get(judge) ?? new WeakMap<PDFObject, { kind: ActiveContent | null }>();
    this.#judged.set(judge, judged);
    const known = judged.get(value) ?? { kind: unlessDamaged(() => judge(value, dict, this.#file)) ?? null };
    judged.set(value, known);
    return known.kind;
  }
}

/** All dictionaries within an object, itself among them; what it refers to is not. */
function* dictionariesIn(object: PDFObject | undefined): Generator<PDFDict> {
  const left: PDFObject[] = object === undefined ? [] : [object];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next instanceof PDFArray) {
      for (let index = 0; index < next.size(); index += 1) left.push(next.get(index));
    } else if (next instanceof PDFDict) {
      yield next;
      for (const value of next.values()) left.push(value);
    }
  }
}
