import { unlessDamaged } from "@rubrica/pdf-reading/faults";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { textOf } from "@rubrica/pdf-reading/signatures";
import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNull,
  type PDFObject,
  PDFRef,
  PDFString,
} from "pdf-lib";
import type { ActiveContent } from "../port.ts";
import { isAnnotation, settledAnnotation } from "./annotations.ts";
import { drawAll, type ToDraw } from "./drawn.ts";
import { type Fields, fieldsOf } from "./fields.ts";
import { Layers } from "./layers.ts";
import { type Judge as Alikeness, alike, type Otherwise } from "./shown-alike.ts";
import type { Written } from "./written.ts";

/** Actions (ISO 32000-2, table 201) that stay when a reader asks for them by a click: they lead within the file, or to a page of the web. */
const harmless = new Set("GoTo GoToDp GoTo3DView Named Thread Trans URI".split(" ").map((name) => PDFName.of(name)));
/** What else actions are. */
const kinds = new Map<PDFName, ActiveContent>(
  Object.entries({
    javascript: "JavaScript",
    launch: "Launch",
    data_exchange: "SubmitForm ImportData",
    other_file: "GoToR GoToE",
    shown_otherwise: "Hide ResetForm SetOCGState",
    media: "Rendition Movie Sound RichMediaExecute",
  }).flatMap(([kind, names]) => names.split(" ").map((name) => [PDFName.of(name), kind as ActiveContent] as const)),
);
/** Actions that are told by their name alone, wherever they stand. */
const unmistakable = new Set(["JavaScript", "Launch", "SubmitForm", "ImportData"].map((name) => PDFName.of(name)));
/** Schemes of addresses that a click may lead to. */
const SCHEMES = /^(?:https?|mailto|tel|ftp|sms):/i;
const ANY_SCHEME = /^[a-z][a-z\d+.-]*:/i;
const MAX_CHAINED = 1_000;
/** An address that is longer is none. */
const MAX_ADDRESS_BYTES = 65_536;
/** One string may be the address of many links. */
const addresses = new WeakMap<PDFObject, boolean>();

const key = (name: string) => PDFName.of(name);
const [TYPE, S, JS, GO_TO, NEXT, LENGTH, F] = ["Type", "S", "JS", "GoTo", "Next", "Length", "F"].map(key) as [
  PDFName,
  PDFName,
  PDFName,
  PDFName,
  PDFName,
  PDFName,
  PDFName,
];

const NEED_APPEARANCES = key("NeedAppearances");

/** An entry of a dictionary that makes a file active, or be seen otherwise, and what it is. */
interface ActiveEntry extends Otherwise {
  name: PDFName;
  written?: Written;
}

type Judge = (value: PDFObject, dict: PDFDict, file: PdfFile) => ActiveContent | null;

const isString = (value: PDFObject | undefined): boolean => value instanceof PDFString || value instanceof PDFHexString;

/** What an action is by its own type; null when it is harmless on a click. What follows it is judged where it stands. */
const actionKind = (file: PdfFile, action: PDFObject | undefined): ActiveContent | null => {
  if (!(action instanceof PDFDict)) return null;
  const type = file.resolve(action.get(S));
  if (action.has(JS) && type instanceof PDFName) return "javascript";
  if (!(type instanceof PDFName)) return null;
  if (type === key("Thread") && action.has(F)) return "other_file";
  if (type === key("URI") && !isOfTheWeb(file.entry(action, "URI"))) return "other_file";
  return harmless.has(type) ? null : (kinds.get(type) ?? "automatic_action");
};

/** Whether an address is one of the web, of a mailbox or of a phone, or goes on from where the file came from. */
const leadsToTheWeb = (address: PDFObject): boolean => {
  if (address.sizeInBytes() > MAX_ADDRESS_BYTES) return false;
  // Readers pass over white space and control characters.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  const plain = (textOf(address) ?? "").replace(/[\u0000-\u0020\u007f-\u00a0]/g, "");
  if (/^[\\/]{2}/.test(plain)) return false;
  return SCHEMES.test(plain) || !ANY_SCHEME.test(plain);
};

const isOfTheWeb = (address: PDFObject | undefined): boolean => {
  if (address === undefined) return true;
  const known = addresses.get(address) ?? leadsToTheWeb(address);
  addresses.set(address, known);
  return known;
};

/** Actions that a click starts, or that follow another: one, or a list. */
const onClick: Judge = (value, _dict, file) => {
  if (!(value instanceof PDFArray)) return actionKind(file, value);
  for (let index = 0; index < Math.min(value.size(), MAX_CHAINED); index += 1) {
    const kind = actionKind(file, file.resolve(value.get(index)));
    if (kind !== null) return kind;
  }
  return value.size() > MAX_CHAINED ? "automatic_action" : null;
};

/** What nothing asks for is no better for being harmless on a click; what it shows is told by the action itself. */
const ofItself = (kind: ActiveContent | null): ActiveContent =>
  kind === null || kind === "shown_otherwise" ? "automatic_action" : kind;

/** What happens when the file is opened: a place may be gone to. */
const onOpening: Judge = (value, _dict, file) => {
  if (!(value instanceof PDFDict) || !value.has(S)) return null;
  if (file.resolve(value.get(S)) === GO_TO && !value.has(NEXT)) return null;
  return ofItself(actionKind(file, value));
};

/** What happens by itself (table 198 ff.): a font can have the same name, but holds no actions. */
const byItself: Judge = (value, _dict, file) => {
  if (!(value instanceof PDFDict)) return null;
  const actions = value.values().map((item) => file.resolve(item));
  const isActive = actions.some((action) => action instanceof PDFDict && (action.has(S) || action.has(JS)));
  if (!isActive) return null;
  const found = actions.map((action) => actionKind(file, action));
  return ofItself(found.find((kind) => kind !== null) ?? null);
};

const isDict =
  (kind: ActiveContent): Judge =>
  (value) =>
    value instanceof PDFDict ? kind : null;

/** Those that look at all that a value holds. */
const costly = new Set<Judge>([onClick, onOpening, byItself]);

/** Entries that may be active, by their names. */
const judges = new Map<PDFName, Judge>(
  Object.entries({
    A: onClick,
    PA: onClick,
    NA: onClick,
    Next: onClick,
    OpenAction: onOpening,
    AA: byItself,
    // The name tree of scripts that run when the file is opened.
    JavaScript: (value) =>
      value instanceof PDFDict && (value.has(key("Names")) || value.has(key("Kids"))) ? "javascript" : null,
    JS: (_value, dict) => (dict.get(S) instanceof PDFName ? "javascript" : null),
    S: (value, dict) =>
      value instanceof PDFName && unmistakable.has(value) && dict.get(TYPE) !== key("StructElem")
        ? (kinds.get(value) ?? null)
        : null,
    // Scripts of 3D artwork.
    OnInstantiate: isDict("javascript"),
    "3DA": isDict("media"),
    RichMediaContent: isDict("media"),
    RichMediaSettings: isDict("media"),
    // A form that is drawn by a program of its own, over the pages that others see.
    XFA: (value) => (value instanceof PDFArray || value instanceof PDFDict ? "dynamic_form" : null),
    // Usage rights (ISO 32000-1, 12.8.2.3): Acrobat complains of the whole file where anything was changed.
    UR3: isDict("usage_rights"),
    UR: isDict("usage_rights"),
    // A portfolio opens a file that is attached instead of the pages.
    Collection: (value, dict) => (value instanceof PDFDict && dict.has(key("Pages")) ? "automatic_action" : null),
    // Data, or a page, that is in another file.
    F: (value, dict) => (dict.has(LENGTH) && (isString(value) || value instanceof PDFDict) ? "other_file" : null),
    Ref: (value) => (value instanceof PDFDict && value.has(F) && value.has(key("Page")) ? "other_file" : null),
  } satisfies Record<string, Judge>).map(([name, judge]) => [key(name), judge] as const),
);

/** Entries that many dictionaries may share, whose verdict is of what they hold, and of which of these kinds the dictionary is. */
const shared = new Set(["ExtGState", "ColorSpace", "Shading", "Properties"].map(key));
const ofKind = ["PatternType", "ShadingType"].map(key);
const OC = key("OC");

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
  *in(object: PDFObject | undefined): Generator<ActiveContent> {
    for (const dict of dictionariesIn(object)) for (const { kind } of this.#entries(dict)) yield kind;
  }

  /** Takes active content out of an object, in place. */
  disarm(object: PDFObject): void {
    for (const dict of dictionariesIn(object)) {
      for (const { name, instead, written } of this.#entries(dict)) {
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
  #entries(dict: PDFDict): ActiveEntry[] {
    const found: ActiveEntry[] = [];
    for (const [name, value] of dict.entries()) {
      const [judge, alikeness] = [judges.get(name), alike.get(name)];
      const there = judge || alikeness ? unlessDamaged(() => this.#file.resolve(value)) : undefined;
      const resolved = there ?? (name === OC ? PDFNull : undefined);
      if (resolved === undefined) continue;
      const kind = judge === undefined ? null : this.#kindOf(judge, resolved, dict);
      const otherwise = alikeness === undefined ? null : this.#otherwise(alikeness, name, value, resolved, dict);
      if (kind !== null) found.push({ name, kind });
      else if (otherwise !== null) found.push({ name, ...otherwise });
    }
    if (isAnnotation(dict))
      found.push(...(unlessDamaged(() => settledAnnotation(dict, this.#file, this.#layers, this.#fields)) ?? []));
    return found;
  }

  #otherwise(judge: Alikeness, name: PDFName, given: PDFObject, value: PDFObject, dict: PDFDict): Otherwise | null {
    const judged = () => unlessDamaged(() => judge(value, dict, this.#file, this.#layers)) ?? null;
    if (!(given instanceof PDFRef && value instanceof PDFDict && shared.has(name))) return judged();
    const place = `${given} ${name}${ofKind.map((kind) => dict.has(kind))}`;
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
