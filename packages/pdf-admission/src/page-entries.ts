import { areaOf, sidesOf } from "@rubrica/pdf-reading/annotations/appearances";
import { inherited } from "@rubrica/pdf-reading/annotations/fields";
import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFName, PDFNull, PDFNumber } from "pdf-lib";
import { isOfLight } from "./content/groups.ts";
import { isList, type Judge, OTHERWISE, refused } from "./otherwise.ts";

/** Entries of pages, and of which of them a reader shows or prints, that readers take each in their own way. */

const key = (name: string) => PDFName.of(name);
const [LENGTH, RECT, TYPE, PAGE, KIDS] = names("Length", "Rect", "Type", "Page", "Kids");

const isName: Judge = (value) => (value instanceof PDFName ? OTHERWISE : null);

/** Whether a dictionary is a form's, or another stream's: a page may say a length, too. */
const isOfForm = (dict: PDFDict, file: PdfFile): boolean => dict.has(LENGTH) && file.resolve(dict.get(TYPE)) !== PAGE;

/** A page's group that mixes colors in another way than most readers do. What forms have is judged by how they are drawn. */
const pageGroup: Judge = (value, dict, file) => {
  if (isOfForm(dict, file) || !(value instanceof PDFDict) || isOfLight(file.entry(value, "CS"), file)) return null;
  const instead = value.clone();
  instead.delete(key("CS"));
  return { ...OTHERWISE, instead };
};

/** A `/CropBox`: readers show it differently if it has no area or lies beyond the page. */
const cropBox: Judge = (value, dict, file) => {
  const [left, bottom, right, top] = sidesOf(value, file) ?? [];
  if (left === undefined || areaOf(value, file) === 0) return OTHERWISE;
  const page = sidesOf(inherited(dict, "MediaBox", file), file);
  if (page === null) return null;
  const isBeyond = ([from, to]: [number, number], [start, end]: [number, number]) =>
    Math.min(from, to) >= Math.max(start, end) || Math.max(from, to) <= Math.min(start, end);
  const isOff =
    isBeyond([left, right ?? 0], [page[0], page[2]]) || isBeyond([bottom ?? 0, top ?? 0], [page[1], page[3]]);
  return isOff ? OTHERWISE : null;
};

/** Some readers draw no larger page, and others don't end with one; honest ones have 14,400 at most (ISO 32000-1, annex C). */
const LARGEST_PAGE = 200_000;

/** A page whose own size is none or huge, or leaves nothing of what pages above it say is shown. */
const mediaBox: Judge = (value, dict, file, layers) => {
  if (isOfForm(dict, file)) return null;
  const shown = dict.has(key("CropBox")) ? undefined : inherited(dict, "CropBox", file);
  const isUnseen = shown !== undefined && cropBox(shown, dict, file, layers) !== null;
  const isHuge = (sidesOf(value, file) ?? []).some((side) => Math.abs(side) > LARGEST_PAGE);
  return sidesOf(value, file) === null || areaOf(value, file) === 0 || isUnseen || isHuge ? refused(value) : null;
};

/** Parts of a page's content that are not there: some readers draw nothing of the page then. */
const parts: Judge = (value, _dict, file) => {
  if (!(value instanceof PDFArray)) return null;
  const all = value.asArray();
  const there = all.filter((part) => file.resolve(part) !== undefined);
  if (there.length === all.length) return null;
  const instead = PDFArray.withContext(file.context);
  for (const part of there) instead.push(part);
  return { ...OTHERWISE, instead };
};

/**
 * Annotations of a page: Poppler draws nothing of one where they are no list; pdf.js has pages inherit them; and MuPDF
 * stretches one that has no place over the page, where others show nothing of it.
 */
const annotations: Judge = (value, dict, file) => {
  if (value === PDFNull) return null;
  if (!(value instanceof PDFArray) || dict.has(KIDS)) return OTHERWISE;
  const all = value.asArray();
  const placed = all.filter((given) => {
    const annotation = file.resolve(given);
    return !(annotation instanceof PDFDict) || sidesOf(annotation.get(RECT), file) !== null;
  });
  return placed.length === all.length ? null : { ...OTHERWISE, instead: file.context.obj(placed) };
};

export const pageEntries = {
  Contents: parts,
  Group: pageGroup,
  Annots: annotations,
  CropBox: cropBox,
  MediaBox: mediaBox,
  UserUnit: (value) => (value instanceof PDFNumber && value.asNumber() > 0 ? null : OTHERWISE),
  // Pages are turned by quarters.
  Rotate: (value) => (value instanceof PDFNumber && value.asNumber() % 90 !== 0 ? OTHERWISE : null),
  // Parts of a page that a reader shows or prints alone.
  ViewArea: isName,
  ViewClip: isName,
  PrintArea: isName,
  PrintClip: isName,
  // The pages that a reader prints unless it is told otherwise.
  PrintPageRange: isList,
} satisfies Record<string, Judge>;
