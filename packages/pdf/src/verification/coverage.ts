import { latin1 } from "@rubrica/pdf-reading/bytes";
import { Lexer } from "@rubrica/pdf-reading/lexer";
import { isAmbiguous } from "@rubrica/pdf-reading/oddities";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import type { SignatureField } from "@rubrica/pdf-reading/signatures";
import { PDFName, PDFNumber, PDFRef } from "pdf-lib";
import { InvalidSignature } from "../asn1/signed-data.ts";
import type { Range } from "./digests.ts";

/** What a signature covers, and leaves out. */
export interface Coverage extends Range {
  /** What stands in the gap, angle brackets and all. */
  contents: string;
}

/**
 * What a signature covers. It has to be all of a revision but the signature's own contents, and its dictionary has
 * to be a part of that. Throws {@link InvalidSignature} when it is not.
 */
export const coverageOf = (file: PdfFile, field: SignatureField): Coverage => {
  const { gapStart, gapEnd, end } = rangeOf(file, field);
  const value = field.dict.get(PDFName.of("V"));
  const location = value instanceof PDFRef ? file.crossReference.locations.get(value.objectNumber) : undefined;
  if (location?.kind !== "offset") throw new Error("its dictionary is no object of its own");
  if (isAmbiguous(field.value)) throw new InvalidSignature("its dictionary says two things at once");
  const own = contentsOf(file, location.offset);
  if (own.start !== gapStart || own.end !== gapEnd)
    throw new InvalidSignature("what it leaves out is not its contents");
  const contents = latin1(file.bytes, gapStart, gapEnd);
  if (!/^<[\dA-Fa-f\s]*>$/.test(contents)) throw new InvalidSignature("more than its contents is left out");
  return { gapStart, gapEnd, end, contents };
};

const rangeOf = (file: PdfFile, { value }: SignatureField): Range => {
  const numbers = (file.arrayEntry(value, "ByteRange")?.asArray() ?? []).map((item) =>
    item instanceof PDFNumber ? item.asNumber() : Number.NaN,
  );
  const whole = numbers.length === 4 && numbers.every((number) => Number.isSafeInteger(number) && number >= 0);
  const [start = -1, gapStart = -1, gapEnd = -1, length = -1] = numbers;
  if (!whole || start !== 0) throw new InvalidSignature("it does not cover the file from its beginning");
  const end = gapEnd + length;
  if (gapStart >= gapEnd || end > file.bytes.length) throw new InvalidSignature("it does not cover what it claims");
  return { gapStart, gapEnd, end };
};

/** Where the value of Contents stands in a dictionary that is an object at an offset. */
const contentsOf = ({ bytes, context, allowance }: PdfFile, offset: number): { start: number; end: number } => {
  const lexer = new Lexer(bytes, context, offset, allowance);
  lexer.takeInteger();
  lexer.takeInteger();
  lexer.takeKeyword("obj");
  lexer.skipSpace();
  lexer.offset += "<<".length;
  for (lexer.skipSpace(); bytes[lexer.offset] !== 0x3e; lexer.skipSpace()) {
    const name = lexer.object();
    lexer.skipSpace();
    const start = lexer.offset;
    lexer.object();
    if (name === PDFName.of("Contents")) return { start, end: lexer.offset };
  }
  throw new InvalidSignature("it has no contents");
};
