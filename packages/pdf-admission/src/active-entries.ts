import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { textOf } from "@rubrica/pdf-reading/signatures";
import { PDFArray, PDFDict, PDFHexString, PDFName, type PDFObject, PDFString } from "pdf-lib";
import type { ActiveContent } from "./admission.ts";

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
const [TYPE, S, JS, GO_TO, NEXT, LENGTH, F] = names("Type", "S", "JS", "GoTo", "Next", "Length", "F");

/** What an entry of that name is in a dictionary; null where it is harmless. */
export type Judge = (value: PDFObject, dict: PDFDict, file: PdfFile) => ActiveContent | null;

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
export const costly = new Set<Judge>([onClick, onOpening, byItself]);

/** Entries that may be active, by their names. */
export const judges = new Map<PDFName, Judge>(
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
    JS: (_value, dict, file) => (file.resolve(dict.get(S)) instanceof PDFName ? "javascript" : null),
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
