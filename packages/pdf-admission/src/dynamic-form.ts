import { bufferOf } from "@rubrica/pdf-reading/bytes";
import { Damaged } from "@rubrica/pdf-reading/faults";
import { inflateStructure } from "@rubrica/pdf-reading/inflate";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { filterOf } from "@rubrica/pdf-reading/structure-streams";
import { PDFArray, PDFBool, PDFName, type PDFObject, PDFRef } from "pdf-lib";

/** Packets of a form are few: template, data, configuration and some more, each with its name before it. */
const MAX_PARTS = 50;
const DYNAMIC = /<dynamicRender>\s*required\s*</;
const XFA = PDFName.of("XFA");

/**
 * Whether what a file shows is laid out by an XFA form when it is opened (ISO 32000-1, 12.7.8): its pages are then a
 * note that asks for another reader. Where a form has pages of its own, as static ones do, they are the document.
 */
export const isDynamicForm = (file: PdfFile): boolean => {
  const form = file.entry(file.dictEntry(file.catalog, "AcroForm"), "XFA");
  if (form === undefined) return false;
  if (file.entry(file.catalog, "NeedsRendering") === PDFBool.True) return true;
  const given = file.dictEntry(file.catalog, "AcroForm")?.get(XFA);
  const parts = form instanceof PDFArray ? form.asArray().slice(0, MAX_PARTS) : [given];
  return parts.some((part) => DYNAMIC.test(textOf(file, part)));
};

/** The content of a stream; empty for all else. */
const textOf = (file: PdfFile, part: PDFObject | undefined): string => {
  try {
    const stream = part instanceof PDFRef ? file.streamData(part.objectNumber) : undefined;
    if (stream === undefined) return "";
    const { filter, parameters } = filterOf(stream.dict);
    return bufferOf(inflateStructure(stream.data, filter, parameters, file.allowance)).toString("utf8");
  } catch (error) {
    if (error instanceof Damaged) return "";
    throw error;
  }
};
