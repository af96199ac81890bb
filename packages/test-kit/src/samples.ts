import { PDFDocument, StandardFonts } from "pdf-lib";

/** A signer as a document request names one. */
export interface SignerFields {
  name: string;
  dni: string;
  phone: string;
  dni_country?: string;
  position?: string;
  email?: string;
}

/** A signer unlike any other number's: name, Argentine ID number and phone. `number`: 0 to 999,999. */
export const sampleSigner = (number: number, fields: Partial<SignerFields> = {}): SignerFields => ({
  name: `Signer ${number}`,
  dni: String(30_000_000 + number),
  dni_country: "AR",
  phone: `54911${String(40_000_000 + number)}`,
  ...fields,
});

/** A PDF of A4 pages that bear the text. */
export const samplePdf = async ({ text = "Lease agreement", pages = 1 } = {}): Promise<Buffer> => {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  for (let number = 1; number <= pages; number += 1) {
    const page = pdf.addPage([595.28, 841.89]);
    page.drawText(text, { x: 72, y: 740, size: 18, font });
    page.drawText(`Page ${number} of ${pages}`, { x: 72, y: 72, size: 10, font });
  }
  return Buffer.from(await pdf.save());
};

/** A signature as drawn: the data URI of a small transparent PNG. */
export const sampleDrawing =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAKAAAAA8AgMAAACcBVmGAAAADFBMVEVMaXERIkoRIUkRIUmeTXd/AAAABHRSTlMA+6tRW53+6wAAAAlwSFlzAAALEwAACxMBAJqcGAAAAb5JREFUSMftlbFtwzAQRSkKLlRIqTSCRmDhVB7BhUkbgQsNECAeQUvI2cFI4RG0hLJB+gCpUiUmRVJ39CG+lAGiwgV94v/39XgU4v/55ZMfz7zCRu94G2qtB05haT76A0t5L9SeU9h3IuOYlOZic5ssvlMW7W5jskgpqNb67LAKVVjbGrXCKlRzvf0pWrS2IOKSro9yjRPriF6cisRaI/GlFk40x+4N9V2mNlCQckMUepUjXCuikfuXVAUlrkLTldbnRKUe0mgnUiOqmVdphjRaR+rTZ0A1JK1AchGR0oi8b7GdxSrBxP15kVM7bKc4pNHaPy9vS68duoUfuwm7a1dxQEHDj90PEIPpmETwsjXRiysptwg8QEXsxXvVHfQNmI5r3mvTQt8An3qFMSh2wLcQm6teAig2IDnTtcXIW5Hw7vgolrPg8xVjAQOhzFc/x/wa427TaCWaYiOYMOlRfINzsQYTxitGTvITgDAAWcSXa3poBiCjRdHQQy0AGS2KO7rQc5aZmwN6LWaofnr80L09zScKK8b94M5owxjm9pjlmnGP2DaWZuDcS0Ol98ybTne8u5O1oY3mgXV3/sHnG32MZbFgsBcPAAAAAElFTkSuQmCC";
