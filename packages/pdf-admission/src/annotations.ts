import { areaOf, type Form, formIn, isAsLargeAsItsBox, sidesOf } from "@rubrica/pdf-reading/annotations/appearances";
import { type Fields, holdsText, inherited } from "@rubrica/pdf-reading/annotations/fields";
import { isMark } from "@rubrica/pdf-reading/annotations/marks";
import { type Written, writtenIn } from "@rubrica/pdf-reading/annotations/written";
import { names } from "@rubrica/pdf-reading/names";
import { pagesOf } from "@rubrica/pdf-reading/pages";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import {
  PDFArray,
  PDFContext,
  type PDFDict,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFString,
} from "pdf-lib";
import { isAnotherOnceClicked, isHeldOtherwise, isMarkedAsUnsigned } from "./clicked-fields.ts";
import type { Layers } from "./layers/layers.ts";
import type { Otherwise } from "./otherwise.ts";

/** Annotations that readers show otherwise than others do, or on screen than on paper, and what makes them the same. */

/** An entry of an annotation, and what stands in its place. */
export interface Settled extends Otherwise {
  name: PDFName;
  /** What is drawn as the appearance of an annotation that has none of its own. */
  written?: Written;
}

const key = (name: string) => PDFName.of(name);
const named = (...names: string[]) => new Set(names.map(key));
const [F, AP, AS, OC, MK, RECT, SUBTYPE] = names("F", "AP", "AS", "OC", "MK", "Rect", "Subtype");
const [STAMP, TEXT, OFF] = [key("Stamp"), key("Text"), key("Off")];
/** Whether a line's text is drawn on it. */
const CAPTION = key("Cap");
/** Of a form; no annotation has it, so that nothing is taken from one by that name. */
const NEED_APPEARANCES = key("NeedAppearances");
const [WIDGET, LINK, POPUP] = [key("Widget"), key("Link"), key("Popup")];
/** Annotations of print shops: marks and traps that are drawn on paper alone. */
const ofPrintShops = named("PrinterMark", "TrapNet");
/** Those whose appearance each reader draws, where it prints them. */
const drawnByAll = named(
  ..."Text FreeText Line Square Circle Polygon PolyLine Underline Squiggly StrikeOut Stamp Caret Ink".split(" "),
  ..."FileAttachment Widget Watermark Screen 3D RichMedia Projection Redact".split(" "),
);
const isList = (value: PDFObject | undefined): boolean => value instanceof PDFArray && value.size() > 0;
const isQuads = (value: PDFObject | undefined): boolean =>
  value instanceof PDFArray && value.size() > 0 && value.size() % 8 === 0;
/** What these must have besides: without it some readers draw nothing. */
const needed = new Map<PDFName, readonly [name: string, is: (value: PDFObject | undefined) => boolean]>(
  Object.entries({
    FreeText: ["DA", (value: PDFObject | undefined) => value instanceof PDFString || value instanceof PDFHexString],
    Line: ["L", (value: PDFObject | undefined) => value instanceof PDFArray && value.size() === 4],
    Polygon: ["Vertices", isList],
    PolyLine: ["Vertices", isList],
    Ink: ["InkList", isList],
    Underline: ["QuadPoints", isQuads],
    Squiggly: ["QuadPoints", isQuads],
    StrikeOut: ["QuadPoints", isQuads],
    FileAttachment: ["FS", (value: PDFObject | undefined) => value !== undefined],
  } as const).map(([name, need]) => [key(name), need]),
);
/** Those that no reader draws without an appearance. */
const shownByNone = named("Popup", "Watermark", "Screen", "Movie", "3D", "RichMedia", "Projection");
/** Without an appearance PDFium draws them as large as their rectangle, over whatever is there; others draw nothing. */
const inventedLarge = named("Caret", "Redact");
const BUTTON = key("Btn");
const fieldTypes = named("Tx", "Ch", "Sig", "Btn");
/** Of a widget's characteristics: what is drawn below and around it. */
const ground = ["BG", "BC"].map(key);
/** A flag of buttons (ISO 32000-2, table 229). */
const PUSH_BUTTON = 0x10000;
/** A line around a link is no text; a thicker one hides what it is over. */
const THICKEST_BORDER = 3;

/** Readers put what lies further out each to another place. */
export const FURTHEST = 1_000_000;

/** Flags of annotations (ISO 32000-2, table 167). */
const [INVISIBLE, HIDDEN, PRINT, NO_ZOOM, NO_ROTATE, NO_VIEW, TOGGLE_NO_VIEW] = [1, 2, 4, 8, 16, 32, 256];
/** All flags that there are. */
const [KNOWN, LARGEST] = [0x3ff, 0xffff];

const severe = (name: PDFName, instead?: PDFObject): Settled =>
  instead === undefined ? { kind: "shown_otherwise", name } : { kind: "shown_otherwise", name, instead };
const HIDE = severe(F, PDFNumber.of(HIDDEN));
/** A field that shows nothing, and may show what it holds once it is clicked on. */
const HIDE_HELD: Settled = { kind: "momentary", name: F, instead: PDFNumber.of(HIDDEN) };
const NO_STYLE = severe(key("BS"));
const NO_BORDER = severe(key("Border"), PDFContext.create().obj([0, 0, 0]));

/** Whether a dictionary is an annotation: nothing else has a rectangle on a page. */
export const isAnnotation = (dict: PDFDict): boolean =>
  dict.has(RECT) &&
  (dict.has(SUBTYPE) || dict.has(AP) || dict.get(key("Type")) === key("Annot") || dict.has(key("FT")));

/** What makes an annotation the same in all readers that draw it, on screen and on paper. */
export const settledAnnotation = (dict: PDFDict, file: PdfFile, layers: Layers, fields: Fields): Settled[] => {
  const settled = settledLook(dict, file, layers, fields);
  const isStateLeft = dict.has(AS) && !settled.some(({ name }) => name === AS);
  // For a state that is no name some readers give up the page, though nothing of the annotation is shown.
  return isStateLeft && !(file.resolve(dict.get(AS)) instanceof PDFName) ? [...settled, severe(AS)] : settled;
};

const settledLook = (dict: PDFDict, file: PdfFile, layers: Layers, fields: Fields): Settled[] => {
  const given = flagsOf(dict, file);
  const { flags } = given;
  const subtype = file.resolve(dict.get(SUBTYPE));
  if (ofPrintShops.has(subtype as PDFName)) return dict.has(AP) ? [severe(AP)] : [];
  if ((flags & HIDDEN) !== 0) return given.isSound ? [] : [HIDE];
  const sides = sidesOf(file.resolve(dict.get(RECT)), file);
  // MuPDF puts an annotation without all four sides somewhere, others nowhere.
  if (sides === null || sides.some((side) => Math.abs(side) > FURTHEST)) return [HIDE];
  const appearance = formIn(dict, file);
  // What has no room some readers draw beyond it, over whatever is there.
  const isFlat = areaOf(file.resolve(dict.get(RECT)), file) === 0;
  if (appearance === null && ((isFlat && isMark(subtype)) || inventedLarge.has(subtype as PDFName))) return [HIDE];
  if (appearance === null && isDrawnByNone(dict, subtype, file)) return undrawn(dict, subtype, file);
  if (subtype === POPUP) return [severe(AP)];
  const layer = dict.get(OC);
  if (layer !== undefined && !layers.shows(layer)) return [HIDE, severe(OC)];
  const isAnew = appearance === null || (fields.areDrawnAnew && subtype === WIDGET && holdsText(dict, file));
  const drawn = isAnew ? drawnAnew(dict, subtype, file, fields) : drawnByForm(dict, subtype, appearance, file, fields);
  if (drawn.some(({ name }) => name === F)) return drawn;
  return [
    settledFlags(given, isAnew || isAsLargeAsItsBox(dict, file), file),
    ...drawn,
    layer === undefined ? null : severe(OC),
  ].filter((entry) => entry !== null);
};

/** What some readers draw in their own way is drawn by its appearance as a stamp, in one of its states. */
const drawnByForm = (dict: PDFDict, subtype: PDFObject | undefined, form: Form, file: PdfFile, fields: Fields) => {
  const state = settledState(dict, isBox(dict, subtype, file), form, file);
  if (state?.name === F) return [state];
  const drawn = isDrawnByAll(dict, subtype, form, file)
    ? onceClicked(dict, subtype, form, (state?.instead ?? file.resolve(dict.get(AS))) as PDFName, file)
    : severe(SUBTYPE, STAMP);
  // Some readers then draw buttons and signatures, too, by what they hold, or not at all: nothing is to ask for that.
  const asked = subtype === WIDGET && fields.areDrawnAnew ? severe(NEED_APPEARANCES) : null;
  return [drawn, state, withoutGround(dict, state, form, file), asked].filter((entry) => entry !== null);
};

/** A stamp goes on showing its appearance; what has none for its state shows nothing. */
const onceClicked = (
  dict: PDFDict,
  subtype: PDFObject | undefined,
  form: Form,
  state: PDFName,
  file: PdfFile,
): Settled | null => {
  if (subtype !== WIDGET) return null;
  if (isMarkedAsUnsigned(dict, form, file)) return severe(SUBTYPE, STAMP);
  if (!isAnotherOnceClicked(dict, form, state, file)) return null;
  const isShown = form.states === null || form.states.has(state);
  return isShown ? { kind: "momentary", name: SUBTYPE, instead: STAMP } : HIDE_HELD;
};

/** What some readers draw by what else it says becomes its appearance; for the symbols of comments that stays as it is. */
const drawnAnew = (dict: PDFDict, subtype: PDFObject | undefined, file: PdfFile, fields: Fields): Settled[] => {
  const written = writtenIn(dict, subtype, file, fields);
  const isHeld = subtype === WIDGET && isHeldOtherwise(dict, file);
  if (written === null) return isHeld ? [HIDE_HELD] : inventedBySome(dict);
  // In place of a field for a signature one reader shows a mark of its own.
  const isClicked = isHeld || (subtype === WIDGET && inherited(dict, "FT", file) !== BUTTON);
  const isStamp = isClicked || !isDrawnByAll(dict, subtype, { states: null }, file);
  return [{ ...severe(AP), written }, ...(isStamp ? [severe(SUBTYPE, STAMP)] : [])];
};

/** Of a box that is off and has no appearance for that, one reader draws the ground, over whatever is below. */
const withoutGround = (dict: PDFDict, settled: Settled | null, { states }: Form, file: PdfFile): Settled | null => {
  const isShown = states === null || states.has((settled?.instead ?? file.resolve(dict.get(AS))) as PDFName);
  const characteristics = file.dictEntry(dict, "MK");
  if (isShown || !characteristics || !ground.some((name) => characteristics.has(name))) return null;
  const left = characteristics.clone();
  for (const name of ground) left.delete(name);
  return severe(MK, left);
};

const isDrawnByAll = (dict: PDFDict, subtype: PDFObject | undefined, form: Form, file: PdfFile): boolean => {
  if (!(subtype instanceof PDFName && drawnByAll.has(subtype))) return false;
  if (subtype === WIDGET) return isFieldDrawnByAll(dict, form, file);
  // One reader draws notes as large as their box, and some turn none of them with a page.
  if (subtype === TEXT && (isTurned(file) || !isAsLargeAsItsBox(dict, file))) return false;
  const [name = "", is] = needed.get(subtype) ?? [];
  return is === undefined || is(file.entry(dict, name));
};

/** Boxes to be checked have an appearance for each state, unlike buttons to be pushed. */
const isFieldDrawnByAll = (dict: PDFDict, { states }: Form, file: PdfFile): boolean => {
  const type = inherited(dict, "FT", file) as PDFName;
  return fieldTypes.has(type) && (type !== BUTTON || isPushed(dict, file) || states !== null);
};

const turned = new WeakMap<PdfFile, boolean>();
/** Whether a page of a file is turned: not all readers then leave upright what asks for it. */
const isTurned = (file: PdfFile): boolean => {
  const known = turned.get(file) ?? pagesOf(file).some(({ rotation }) => rotation !== 0);
  turned.set(file, known);
  return known;
};

interface Flags {
  /** Whether they are a number of flags, or there are none. */
  isSound: boolean;
  given: number | undefined;
  flags: number;
}

/** The flags as given, and as most readers take them: what is no number counts as 0. */
const flagsOf = (dict: PDFDict, file: PdfFile): Flags => {
  const value = file.resolve(dict.get(F));
  if (!(value instanceof PDFNumber)) return { isSound: !dict.has(F), given: undefined, flags: 0 };
  const given = value.asNumber();
  const isSound = Number.isInteger(given) && given >= 0 && given <= LARGEST;
  return { isSound, given, flags: isSound ? given : Math.trunc(given) & KNOWN };
};

/** What can be seen of an annotation is seen on screen and on paper, or on neither. */
const settledFlags = ({ isSound, given, flags }: Flags, isAsLarge: boolean, file: PdfFile): Settled | null => {
  if ((flags & NO_VIEW) !== 0)
    return severe(F, PDFNumber.of((flags & KNOWN & ~(NO_VIEW | TOGGLE_NO_VIEW | PRINT)) | HIDDEN));
  // Not zoomed, an appearance is as large as its box for one reader, as its rectangle for others.
  const turning = (flags & NO_ROTATE) !== 0 && isTurned(file) ? NO_ROTATE : 0;
  const settled = (flags & KNOWN & ~(INVISIBLE | NO_ZOOM | TOGGLE_NO_VIEW | turning)) | PRINT;
  if (settled === given) return null;
  const isMomentary = isSound && ((flags | PRINT) & ~(isAsLarge ? NO_ZOOM : 0)) === settled;
  return { kind: isMomentary ? "momentary" : "shown_otherwise", name: F, instead: PDFNumber.of(settled) };
};

/** A box to be checked, or one of several, unlike a button to be pushed. */
const isBox = (dict: PDFDict, subtype: PDFObject | undefined, file: PdfFile): boolean =>
  subtype === WIDGET && inherited(dict, "FT", file) === BUTTON && !isPushed(dict, file);

const isPushed = (dict: PDFDict, file: PdfFile): boolean => {
  const given = inherited(dict, "Ff", file);
  return given instanceof PDFNumber && (given.asNumber() & PUSH_BUTTON) !== 0;
};

/**
 * Of an annotation that has an appearance for each state, the state that it is in: one that it has, or off. A box that is
 * off, has no appearance for that and one for its field's value is drawn by some: off is nothing.
 */
const settledState = (dict: PDFDict, isBox: boolean, { states }: Form, file: PdfFile): Settled | null => {
  if (states === null) return null;
  const state = file.resolve(dict.get(AS));
  if (state instanceof PDFName && states.has(state)) return null;
  if (!isBox) return HIDE;
  const value = inherited(dict, "V", file);
  const isOfValue = value instanceof PDFName && states.has(value);
  if (state === OFF) return isOfValue ? HIDE : null;
  return severe(AS, isOfValue ? value : OFF);
};

/** Whether no reader draws an annotation that has no appearance; a line around a link is no text. */
const isDrawnByNone = (dict: PDFDict, subtype: PDFObject | undefined, file: PdfFile): boolean =>
  subtype === WIDGET
    ? areaOf(file.resolve(dict.get(RECT)), file) === 0
    : subtype === undefined || subtype === LINK || shownByNone.has(subtype as PDFName);

const undrawn = (dict: PDFDict, subtype: PDFObject | undefined, file: PdfFile): Settled[] => [
  ...(subtype === WIDGET ? [] : inventedBySome(dict)),
  ...(subtype === LINK && hasThickBorder(dict, file) ? [NO_BORDER, NO_STYLE] : []),
];

/**
 * Without an appearance some readers draw a symbol by what else the annotation says, some do not. That stays as it is:
 * hidden it would be lost to those who see it today. An appearance that is none goes, and so does the text of a line.
 */
const inventedBySome = (dict: PDFDict): Settled[] =>
  [AP, CAPTION].filter((name) => dict.has(name)).map((name) => severe(name));

const hasThickBorder = (dict: PDFDict, file: PdfFile): boolean => {
  const border = file.arrayEntry(dict, "Border");
  const widths = [file.resolve(border?.asArray()[2]), file.entry(file.dictEntry(dict, "BS"), "W")];
  return widths.some((width) => width instanceof PDFNumber && width.asNumber() > THICKEST_BORDER);
};
