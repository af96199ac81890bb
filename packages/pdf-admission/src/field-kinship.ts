import { MAX_FIELD_DEPTH } from "@rubrica/pdf-reading/field-tree";
import { names } from "@rubrica/pdf-reading/names";
import { pagesOf } from "@rubrica/pdf-reading/pages";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { textOf } from "@rubrica/pdf-reading/signatures";
import { PDFArray, PDFDict, PDFHexString, PDFName, PDFNumber, type PDFObject, PDFString } from "pdf-lib";

/**
 * What a field is and holds, for whoever reads it. Some readers look up from a widget, and take the first value that they find;
 * some look down from the form, and take the field's, whatever its widgets say; and PDFium takes fields of one name for one.
 */

/** Nothing, the state of a box that is off, which is a value for a text, or something. */
export const [NOTHING, OFF, SOMETHING] = [0, 1, 2] as const;

/** What a field says, together with those above it. */
export interface Said {
  /** All of its name, empty where it has none. */
  name: string;
  type: PDFObject | undefined;
  flags: number | undefined;
  /** The most that any of them holds. */
  held: number;
  /** Whether not all of them say the same of what it is. */
  isTorn: boolean;
}

const key = (name: string) => PDFName.of(name);
const [T, FF, PARENT, WIDGET, SUBTYPE] = names("T", "Ff", "Parent", "Widget", "Subtype");
/** What readers show as a field's value, one in place of another. */
const VALUES = ["V", "DV", "RV", "I"];
/** Honest names have some thirty characters. */
const LONGEST_NAME = 1_000;
/** An empty text may have a mark of its encoding. */
const LONGEST_EMPTY = 8;
const NOBODY: Said = { name: "", type: undefined, flags: undefined, held: NOTHING, isTorn: false };

const known = new WeakMap<PDFDict, Said>();

/** What a field says, with all above it. */
export const saidBy = (field: PDFDict, file: PdfFile, depth = 0): Said => {
  const found = known.get(field);
  if (found !== undefined) return found;
  // Fields above each other in a ring end here.
  if (depth > MAX_FIELD_DEPTH) return { ...NOBODY, isTorn: true };
  const parent = file.dictEntry(field, "Parent");
  const said = joined(field, parent === undefined ? NOBODY : saidBy(parent, file, depth + 1), file);
  known.set(field, said);
  return said;
};

const joined = (field: PDFDict, above: Said, file: PdfFile): Said => {
  const type = file.entry(field, "FT");
  const given = file.resolve(field.get(FF));
  const flags = given instanceof PDFNumber ? given.asNumber() : undefined;
  const name = nameBelow(above.name, file.resolve(field.get(T)));
  const isTold = <Value>(own: Value | undefined, other: Value | undefined) => own !== undefined && other !== undefined;
  return {
    name: name ?? "",
    type: type ?? above.type,
    flags: flags ?? above.flags,
    held: Math.max(above.held, ...VALUES.map((entry) => heldBy(file.entry(field, entry)))),
    isTorn:
      above.isTorn ||
      name === undefined ||
      (isTold(type, above.type) && type !== above.type) ||
      (isTold(flags, above.flags) && flags !== above.flags),
  };
};

/** Undefined where it is no name. */
const nameBelow = (above: string, given: PDFObject | undefined): string | undefined => {
  if (given === undefined) return above;
  const isShort = isText(given) && given.sizeInBytes() <= LONGEST_NAME;
  const own = isShort ? (textOf(given) ?? "") : undefined;
  if (own === undefined || above.length + own.length > LONGEST_NAME) return undefined;
  return above === "" || own === "" ? above + own : `${above}.${own}`;
};

const isText = (value: PDFObject | undefined): value is PDFString | PDFHexString =>
  value instanceof PDFString || value instanceof PDFHexString;

const heldBy = (value: PDFObject | undefined): number => {
  if (value === undefined || (value instanceof PDFArray && value.size() === 0)) return NOTHING;
  if (isText(value) && value.sizeInBytes() <= LONGEST_EMPTY && textOf(value) === "") return NOTHING;
  return value === key("Off") ? OFF : SOMETHING;
};

/** Fields of one name, in all of a form. */
interface Namesakes {
  types: Set<PDFObject>;
  held: number;
}

interface Form {
  names: ReadonlyMap<string, Namesakes>;
  /** Whether a field is another one's kid than its parent's. */
  isTorn: boolean;
}

const forms = new WeakMap<PdfFile, Form>();

/** What a field is and holds, for those too who take others for it. */
export const kinOf = (field: PDFDict, file: PdfFile): Said => {
  const form = forms.get(file) ?? formOf(file);
  forms.set(file, form);
  const said = saidBy(field, file);
  const namesakes = form.names.get(plainName(said.name));
  return {
    ...said,
    held: Math.max(said.held, namesakes?.held ?? NOTHING),
    isTorn: said.isTorn || form.isTorn || (namesakes?.types.size ?? 0) > 1,
  };
};

/** PDFium goes by the parts of a name to the first empty one. */
const plainName = (name: string): string => /^(?:[^.]+(?:\.(?=[^.]))?)*/.exec(name)?.[0] ?? "";

/** Goes through the fields of a form, and the widgets of pages, which some readers add to them. */
const formOf = (file: PdfFile): Form => {
  const names = new Map<string, Namesakes>();
  const seen = new Set<PDFObject>();
  let isTorn = false;
  const note = (field: PDFDict): void => {
    const { name, type, held } = saidBy(field, file);
    const plain = plainName(name);
    if (plain === "") return;
    const namesakes = names.get(plain) ?? { types: new Set(), held: NOTHING };
    names.set(plain, namesakes);
    if (type !== undefined) namesakes.types.add(type);
    namesakes.held = Math.max(namesakes.held, held);
  };
  const walk = (list: PDFArray | undefined, parent: PDFObject | undefined): void => {
    for (const given of list?.asArray() ?? []) {
      const field = file.resolve(given);
      if (!(field instanceof PDFDict)) continue;
      if (field.get(PARENT) !== parent) isTorn = true;
      if (seen.has(field)) continue;
      seen.add(field);
      note(field);
      walk(file.arrayEntry(field, "Kids"), given);
    }
  };
  walk(file.arrayEntry(file.dictEntry(file.catalog, "AcroForm"), "Fields"), undefined);
  for (const list of new Set(pagesOf(file).map(({ dict }) => file.arrayEntry(dict, "Annots")))) {
    for (const given of list?.asArray() ?? []) {
      const widget = file.resolve(given);
      if (widget instanceof PDFDict && file.resolve(widget.get(SUBTYPE)) === WIDGET && !seen.has(widget)) note(widget);
    }
  }
  return { names, isTorn };
};
