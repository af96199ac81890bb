import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, PDFName, type PDFObject } from "pdf-lib";

/** Fonts that a form names and lacks: readers look for them elsewhere, each at another place, take their own, or show nothing. */

const [RESOURCES, FONT] = ["Resources", "Font"].map((name) => PDFName.of(name)) as [PDFName, PDFName];

/** Resources with a font for each name, which is one that all readers have. */
export const withFonts = (resources: PDFDict, names: Iterable<string>, file: PdfFile): PDFDict => {
  const given = resources.clone();
  const fonts = file.dictEntry(resources, "Font")?.clone() ?? PDFDict.withContext(file.context);
  for (const name of names) {
    const font = { Type: "Font", Subtype: "Type1", BaseFont: "Helvetica", Encoding: "WinAnsiEncoding" };
    fonts.set(PDFName.of(name), file.context.obj(font));
  }
  given.set(FONT, fonts);
  return given;
};

/** Gives a form other resources. */
export const setResources = (form: PDFObject, resources: PDFDict | undefined): void => {
  if (resources !== undefined && form instanceof PDFDict) form.set(RESOURCES, resources);
};
