import { PDFArray, type PDFDict, PDFName } from "pdf-lib";
import { latin1 } from "./bytes.ts";
import { isWhitespace } from "./characters.ts";
import { Damaged } from "./faults.ts";

const key = (text: string) => PDFName.of(text);

/** Where a stream's data begins: after the end of the line that its keyword stands on. */
export const dataStart = (bytes: Uint8Array, afterKeyword: number): number => {
  let at = afterKeyword;
  while (bytes[at] === 0x20) at += 1;
  if (bytes[at] === 0x0d && bytes[at + 1] === 0x0a) return at + 2;
  return isWhitespace(bytes[at] ?? 0) ? at + 1 : at;
};

/** Whether a stream's data ends at an offset. */
export const endsStream = (bytes: Uint8Array, at: number): boolean => {
  let offset = at;
  while (offset < at + 4 && isWhitespace(bytes[offset] ?? -1)) offset += 1;
  return latin1(bytes, offset, offset + 9) === "endstream";
};

/** The one filter of a structure's stream, and its parameters. */
export const filterOf = (dict: PDFDict): { filter: string | undefined; parameters: PDFDict | undefined } => {
  const first = (value: unknown) => (value instanceof PDFArray ? (value.size() > 0 ? value.get(0) : undefined) : value);
  const names = dict.get(key("Filter"));
  if (names instanceof PDFArray && names.size() > 1) throw new Damaged("its structure is compressed in an unknown way");
  const filter = first(names);
  const parameters = first(dict.get(key("DecodeParms")));
  return {
    filter: filter instanceof PDFName ? filter.decodeText() : undefined,
    parameters: parameters instanceof Object && "get" in parameters ? (parameters as PDFDict) : undefined,
  };
};
