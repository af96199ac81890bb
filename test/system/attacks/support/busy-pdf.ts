import { pdfFile } from "./pdfs.ts";

const FONT = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";

/** A file that keeps a reader busy for a while, and is a good one. */
export const busyPdf = (pages = 400): Buffer => {
  const kids = Array.from({ length: pages }, (_, index) => `${5 + index * 2} 0 R`).join(" ");
  const text = "BT /F1 9 Tf 72 700 Td (The parties agree to what follows.) Tj ET\n".repeat(400);
  const further = Array.from({ length: pages }, (_, index) => [
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1${FONT}>>>>/Contents ${6 + index * 2} 0 R>>`,
    `<</Length ${text.length}>>\nstream\n${text}\nendstream`,
  ]).flat();
  return pdfFile({ pages: `<</Type/Pages/Kids[${kids}]/Count ${pages}>>`, further });
};
