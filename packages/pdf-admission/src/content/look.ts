import { Allowance } from "@rubrica/pdf-reading/allowance";
import { Damaged, TooComplex, unlessDamaged } from "@rubrica/pdf-reading/faults";
import type { OpenDocument } from "@rubrica/pdf-reading/open";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, type PDFObject, PDFRef } from "pdf-lib";
import { InlineJpegs } from "../coded/jpeg.ts";
import { decodedContent } from "../filters.ts";
import { Layers } from "../layers/layers.ts";
import { type Cell, cellOf, isAskewForm } from "./cells.ts";
import { type Content, contentsOf } from "./contents.ts";
import { GivenFonts } from "./given-fonts.ts";
import type { Regrouped } from "./groups.ts";
import { LayeredParts } from "./layered-parts.ts";
import { Nesting } from "./nesting.ts";
import type { ContentReading, Edit, Fault } from "./reading.ts";
import { namedIn } from "./resources.ts";
import { Changed, firstFrom, type Longer, rewrittenContent } from "./rewriting.ts";
import { readContent } from "./syntax.ts";
import { type UnturnedMask, unturnedMaskOf } from "./unturned-masks.ts";

/**
 * So much content is looked into, and so much more a byte of the file; one with more of it is too complex: reading goes
 * through some 15 MB a second. Honest files have 5 MB at most, and seven times their own size.
 */
const [LEAST_CONTENT_BYTES, CONTENT_A_BYTE, MAX_CONTENT_BYTES] = [16 * 1024 * 1024, 16, 256 * 1024 * 1024];

/** Why readers may show other things of a content. */
export type ContentFault =
  | Fault
  /** What is no stream, or compressed in a way that not all readers read alike. */
  | "unreadable"
  /** A form or a pattern whose box, matrix or steps not all readers take. */
  | "unsound"
  /** Contents within each other, deeper than all readers go, or without an end. */
  | "nested"
  /** Groups, and forms that some readers take for one. */
  | "group"
  /** Lines and text that are set by who uses a content, for some readers only. */
  | "begun"
  /** Lines that lead so far that some readers draw them elsewhere. */
  | "far"
  /** Parts of layers that some readers count to others (ISO 32000-2, 8.11.3). */
  | "layers";

/** What is wrong with the contents of a file. */
export interface ContentLook {
  /** What can't be mended. */
  fault: ContentFault | null;
  /** Streams by their numbers, decoded, as they are to be written for all readers to show the same. */
  mended: ReadonlyMap<number, Uint8Array>;
  /** Forms by their numbers: what their group is to be for all readers to show the same. */
  regrouped: Regrouped;
  /** The same: what their resources are to be, with the fonts that these lack. */
  refonted: ReadonlyMap<number, PDFDict>;
  /** The same: where those are to be that lose their matrix. */
  moved: ReadonlyMap<number, UnturnedMask>;
}

/** A content's streams, one after the other, with a line's end between them, as most readers join them. */
interface Joined {
  bytes: Uint8Array;
  seams: number[];
  streams: { number: number; start: number; length: number }[];
}

/**
 * Looks through all contents of a file, up to the first fault that can't be mended. Throws `TooComplex`.
 * @param holders those of its objects that {@link holdsContent}, for who went through all of them before
 */
export const lookAtContents = (document: OpenDocument, holders = document.file.references()): ContentLook => {
  const { file } = document;
  const look = new Look(document);
  for (const content of contentsOf(document, holders, (number) => unlessDamaged(() => file.uncached(number)))) {
    const fault = look.faultOf(content);
    if (fault !== null) return faulty(fault);
  }
  return look.outcome();
};

const faulty = (fault: ContentFault): ContentLook => ({
  fault,
  mended: new Map(),
  regrouped: new Map(),
  refonted: new Map(),
  moved: new Map(),
});

class Look {
  readonly #file: PdfFile;
  readonly #mayHide: boolean;
  readonly #allowance: Allowance;
  readonly #nesting: Nesting;
  readonly #jpegs = new InlineJpegs();
  readonly #layered: LayeredParts;
  readonly #mended = new Map<number, Uint8Array>();
  /** In how many contents a stream is a part, and in how many it is mended alike. */
  readonly #uses = new Map<number, number>();
  readonly #timesMended = new Map<number, number>();
  /** What mends forms, by their numbers, once it is known whether they are seen through. */
  readonly #unmended = new Map<number, (isClear: boolean) => Fault | null>();
  readonly #isSigned: boolean;
  readonly #pages: OpenDocument["pages"];
  /** Forms that lack fonts, by their numbers, with the names of these. */
  readonly #lacking = new Map<number, { resources: PDFDict; names: ReadonlySet<string> }>();
  readonly #resources = new Set<PDFDict>();
  /** Patterns by their numbers, and whether forms are turned that may use them. */
  readonly #cells = new Map<number, Cell>();
  #turnsForms = false;

  constructor({ file, pages, signatures }: OpenDocument) {
    this.#file = file;
    this.#pages = pages;
    this.#isSigned = signatures.length > 0;
    const most = Math.min(LEAST_CONTENT_BYTES + CONTENT_A_BYTE * file.bytes.length, MAX_CONTENT_BYTES);
    this.#allowance = new Allowance(0, most);
    this.#nesting = new Nesting(file);
    this.#mayHide = new Layers(file).mayHide;
    this.#layered = new LayeredParts(file);
  }

  faultOf(content: Content): ContentFault | null {
    if (!content.isSound) return "unsound";
    const joined = unlessDamaged(() => this.#joined(content.parts));
    if (joined === undefined) return "unreadable";
    const resources = content.resources === undefined ? null : namedIn(content.resources, this.#file);
    const reading = readContent(joined, content.kind, resources, this.#jpegs);
    if (reading.fault !== null) return reading.fault;
    if (reading.lackingFonts.size > 0 && !this.#lacksFonts(content, reading.lackingFonts)) return "resource";
    if (isOfUnknown(content, reading)) return "resource";
    const isDoubtful = reading.inLayers.setsMasks || hasDoubtfulLayers(reading, content) || this.#layered.isIn(content);
    if (this.#mayHide && isDoubtful) return "layers";
    // Many a program leaves such areas; where somebody signed them, or others draw them larger, nothing is done about it.
    const isMeasured = content.kind === "page" && !this.#isSigned;
    const edits = isMeasured ? [...reading.edits, ...reading.flatAreas] : reading.edits;
    this.#nest(content, reading);
    this.#turn(content, reading);
    return this.#mendOnceKnown(content, joined, { ...reading, edits });
  }

  /** Mends a content, at once but for forms in which lines may be seen through as who draws them has it. */
  #mendOnceKnown({ kind, parts: [part] }: Content, joined: Joined, reading: ContentReading): Fault | null {
    const { edits, widened, dashedBoxes } = reading;
    const isKept = kind === "glyph" || this.#isSigned;
    if (isKept && dashedBoxes.areLong) return "painting";
    const boxes = isKept ? [] : dashedBoxes.edits;
    if (joined.seams.some((seam) => (boxes[firstFrom(boxes, seam) - 1]?.end ?? 0) > seam)) return "painting";
    // A glyph is one area.
    const all = kind === "glyph" ? [] : reading.outlined;
    const mend = (isClear: boolean): Fault | null => {
      const outlined = isClear ? all : all.filter(({ isAsBegun }) => !isAsBegun);
      if (outlined.some(({ isMixed }) => isMixed)) return "painting";
      if (edits.length + outlined.length + boxes.length > 0 || widened !== null)
        this.#mend(joined, edits, { outlined, boxes }, widened);
      return null;
    };
    if (!(part instanceof PDFRef) || !all.some(({ isAsBegun }) => isAsBegun)) return mend(false);
    this.#unmended.set(part.objectNumber, mend);
    return null;
  }

  /** Takes a form that lacks fonts; false where somebody signed it, or it is none. */
  #lacksFonts({ kind, parts: [part], resources }: Content, names: ReadonlySet<string>): boolean {
    const isOwn = kind === "form" || kind === "uncolored";
    if (this.#isSigned || !isOwn || !(part instanceof PDFRef) || resources === undefined) return false;
    this.#lacking.set(part.objectNumber, { resources, names });
    return true;
  }

  /** Gives forms the fonts that they lack; null where there are several for one. */
  #refonted(): Map<number, PDFDict> | null {
    const fonts = new GivenFonts(this.#file, this.#resources);
    const refonted = new Map<number, PDFDict>();
    for (const [number, { resources, names }] of this.#lacking) {
      const given = fonts.within(resources, names);
      if (given === null) return null;
      refonted.set(number, given);
    }
    return refonted;
  }

  /** Takes what may be turned. */
  #turn({ kind, parts: [part], isAppearance }: Content, { turnsForms }: ContentReading): void {
    this.#turnsForms ||= turnsForms;
    if (kind === "page" || kind === "glyph" || !(part instanceof PDFRef)) return;
    const form = this.#file.uncached(part.objectNumber)?.object;
    const cell = cellOf(form, isAppearance, this.#file);
    // A pattern's cells may also be turned by what uses it.
    if (cell !== undefined && (cell.isAskew || !isAppearance)) this.#cells.set(part.objectNumber, cell);
    if (cell === undefined || isAppearance)
      this.#turnsForms ||= form instanceof PDFDict && isAskewForm(form, this.#file);
  }

  /** Cuts cells that lie askew off by their boxes; false where somebody signed one. */
  #cutCells(): boolean {
    for (const [number, { isAskew, clip }] of this.#cells) {
      const stream = isAskew || this.#turnsForms ? this.#file.streamData(number) : undefined;
      if (stream === undefined) continue;
      const content = this.#mended.get(number) ?? decodedContent(stream, this.#file, this.#allowance);
      if (Buffer.from(content.subarray(0, clip.length)).toString("latin1") === clip) continue;
      if (this.#isSigned && isAskew) return false;
      if (!this.#isSigned) this.#mended.set(number, Buffer.concat([Buffer.from(clip), content]));
    }
    return true;
  }

  /** Has forms that may be hidden leave no state behind, as they do in pdf.js then; false where somebody signed one. */
  #keepStates(): boolean {
    for (const [number, openSaves] of this.#nesting.leakingForms()) {
      const stream = this.#file.streamData(number);
      if (this.#isSigned || stream === undefined) return false;
      const content = this.#mended.get(number) ?? decodedContent(stream, this.#file, this.#allowance);
      this.#mended.set(
        number,
        Buffer.concat([Buffer.from("q\n"), content, Buffer.from(`\n${"Q ".repeat(openSaves + 1)}`)]),
      );
    }
    return true;
  }

  #nest({ kind, parts: [part], resources, isAppearance, corner }: Content, reading: ContentReading): void {
    if (resources !== undefined) {
      this.#resources.add(resources);
      this.#nesting.addResources(resources);
    }
    const node = { ...reading, isGlyph: kind === "glyph", isAppearance, corner, resources };
    if (kind === "page") this.#nesting.addPage(node);
    else if (part instanceof PDFRef) this.#nesting.add(part.objectNumber, node);
  }

  /** A stream that is mended for one content must be mended alike for each that it is a part of. */
  outcome(): ContentLook {
    if (this.#nesting.isTooDeep()) return faulty("nested");
    if (this.#nesting.leadsTooFar(this.#pages)) return faulty("far");
    if (this.#nesting.hasClearGlyphs() || this.#nesting.hasStrayMasks()) return faulty("resource");
    if (this.#nesting.hasColoredMasks()) return faulty("resource");
    if (this.#nesting.hasInnerPatterns()) return faulty("painting");
    if (this.#nesting.isBegunOtherwise()) return faulty("begun");
    if (this.#nesting.hasDoubtfulCodes()) return faulty("code");
    const refonted = this.#refonted();
    if (refonted === null) return faulty("resource");
    const groups = this.#nesting.groups();
    const regrouped = groups.settled();
    if (regrouped === null) return faulty("group");
    for (const [number, mend] of this.#unmended)
      if (mend(groups.hasClearLines(number)) !== null) return faulty("painting");
    if (this.#nesting.isTooDear()) throw new TooComplex("it draws its forms, patterns or glyphs too often");
    const isShared = [...this.#mended.keys()].some(
      (number) => this.#uses.get(number) !== this.#timesMended.get(number),
    );
    if (isShared) return faulty("operands");
    if (!this.#cutCells()) return faulty("unsound");
    if (this.#mayHide && !this.#keepStates()) return faulty("layers");
    const moved = this.#movedMasks(groups.masks.keys());
    return moved === null ? faulty("group") : { fault: null, mended: this.#mended, regrouped, refonted, moved };
  }

  /** Moves what masks with a matrix draw; null where somebody signed that, or the matrix can't be left out. */
  #movedMasks(masks: Iterable<number>): Map<number, UnturnedMask> | null {
    const moved = new Map<number, UnturnedMask>();
    for (const number of masks) {
      const mask = unturnedMaskOf(this.#file.uncached(number)?.object, this.#file);
      if (mask === undefined) continue;
      const stream = this.#file.streamData(number);
      const isItsOwn = this.#uses.get(number) === 1 && !this.#nesting.hasPatterns(number);
      if (mask === null || this.#isSigned || !isItsOwn || stream === undefined) return null;
      const content = this.#mended.get(number) ?? decodedContent(stream, this.#file, this.#allowance);
      this.#mended.set(number, Buffer.concat([Buffer.from(mask.before), content]));
      moved.set(number, mask);
    }
    return moved;
  }

  #joined(parts: readonly PDFObject[]): Joined {
    const streams: Joined["streams"] = [];
    const pieces: Uint8Array[] = [];
    let start = 0;
    for (const part of parts) {
      // Most readers pass over it; it is taken out.
      if (this.#file.resolve(part) === undefined) continue;
      const stream = part instanceof PDFRef ? this.#file.streamData(part.objectNumber) : undefined;
      if (!(part instanceof PDFRef) || stream === undefined) throw new Damaged("a part of a content is no stream");
      const bytes = decodedContent(stream, this.#file, this.#allowance);
      this.#uses.set(part.objectNumber, (this.#uses.get(part.objectNumber) ?? 0) + 1);
      streams.push({ number: part.objectNumber, start, length: bytes.length });
      pieces.push(bytes, LINE_END);
      start += bytes.length + 1;
    }
    if (pieces.length === 2) return { bytes: pieces[0] as Uint8Array, seams: [], streams };
    return { bytes: Buffer.concat(pieces), seams: streams.slice(1).map((stream) => stream.start - 1), streams };
  }

  #mend({ bytes, streams }: Joined, edits: readonly Edit[], longer: Longer, widened: Edit | null): void {
    const { outlined, boxes } = longer;
    const mended = Buffer.from(bytes);
    for (const { start, end, instead } of edits) mended.fill(" ", start, end).write(instead, start, "latin1");
    const whole = outlined.length > 0 ? Buffer.from(mended) : mended;
    const ofLines = outlined.flatMap((one) => one.ofLines);
    const changed = new Changed([...edits, ...ofLines, ...boxes]);
    for (const { start, end } of ofLines) mended.fill(" ", start, end);
    for (const { number, start, length } of streams) {
      const end = start + length;
      // A glyph is of one stream.
      if (widened !== null) this.#keep(number, replaced(mended.subarray(start, end), widened));
      else {
        const apart = outlined.slice(firstFrom(outlined, start), firstFrom(outlined, end));
        if (apart.length > 0 || changed.isAny(start, end))
          this.#keep(number, rewrittenContent(whole, mended, { start, end }, { outlined: apart, boxes }));
      }
    }
  }

  #keep(number: number, mended: Buffer): void {
    const former = this.#mended.get(number);
    const isAlike = former === undefined || mended.equals(former);
    this.#mended.set(number, mended);
    this.#timesMended.set(number, isAlike ? (this.#timesMended.get(number) ?? 0) + 1 : Number.NaN);
  }
}

const replaced = (bytes: Buffer, { start, end, instead }: Edit): Buffer =>
  Buffer.concat([bytes.subarray(0, start), Buffer.from(instead, "latin1"), bytes.subarray(end)]);

const LINE_END = Buffer.from("\n");
/** What tells how a content is drawn: whether readers agree on that is only known where its name stands for one thing. */
const MANNERS = ["ExtGState", "ColorSpace", "Pattern", "Shading"];

/**
 * A glyph that names something its font does not have: some readers take that of who shows it, where it was shown first, or
 * none. A form without resources that sets by a name of others how it draws.
 */
const isOfUnknown = ({ kind, resources }: Content, { uses }: ContentReading): boolean =>
  resources === undefined && (kind === "glyph" ? uses.size > 0 : MANNERS.some((category) => uses.has(category)));

/** Content that readers count to other layers than others do: one that is written in it, or begins or ends elsewhere. */
const hasDoubtfulLayers = (reading: ContentReading, { kind }: Content): boolean =>
  reading.hasOwnLayers || (kind !== "page" && reading.openMarks + reading.surplusMarks > 0);
