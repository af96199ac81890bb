import {
  PDFArray,
  PDFContext,
  type PDFDict,
  PDFHeader,
  PDFName,
  PDFRawStream,
  type PDFRef,
  PDFStreamWriter,
} from "pdf-lib";
import { latin1 } from "./bytes.ts";
import { Damaged } from "./faults.ts";
import type { PdfFile } from "./pdf-file.ts";

const key = (name: string) => PDFName.of(name);
const OBJECTS_PER_TICK = 1_000;

/**
 * A file that is encrypted for everybody to open, written anew as one that is not encrypted: what is appended to
 * it later needs no key then. Objects that can't be read are left out, as readers do.
 */
export async function decrypted(file: PdfFile): Promise<Uint8Array> {
  const context = PDFContext.create();
  context.header = versionOf(file);
  context.largestObjectNumber = file.crossReference.size - 1;
  const { trailer } = file.crossReference;
  const encrypt = trailer.get(key("Encrypt"));
  for (const ref of file.references()) {
    if (ref !== encrypt) copy(file, ref, context);
  }
  const [info, identifiers] = [trailer.get(key("Info")), trailer.get(key("ID"))];
  context.trailerInfo = {
    Root: file.catalogRef,
    ...(info === undefined ? {} : { Info: info }),
    ...(identifiers === undefined ? {} : { ID: identifiers }),
  };
  return PDFStreamWriter.forContext(context, OBJECTS_PER_TICK).serializeToBuffer();
}

function copy(file: PdfFile, ref: PDFRef, context: PDFContext): void {
  try {
    const stream = file.streamData(ref.objectNumber);
    const object = stream === undefined ? file.resolve(ref) : withoutCryptFilter(stream.dict, stream.data);
    if (object === undefined || (object instanceof PDFRawStream && isOfTheStructure(object.dict))) return;
    context.assign(ref, object);
  } catch (error) {
    if (!(error instanceof Damaged)) throw error;
  }
}

/** Cross-reference and object streams: what they hold is written in others. */
function isOfTheStructure(dict: PDFDict): boolean {
  const type = dict.get(key("Type"));
  return type === key("XRef") || type === key("ObjStm");
}

/** A crypt filter (ISO 32000-2, 7.4.10) has no meaning where nothing is encrypted; it is always the first filter. */
function withoutCryptFilter(dict: PDFDict, data: Uint8Array): PDFRawStream {
  const filter = dict.get(key("Filter"));
  const parameters = dict.get(key("DecodeParms"));
  if (filter === key("Crypt")) {
    dict.delete(key("Filter"));
    dict.delete(key("DecodeParms"));
  } else if (filter instanceof PDFArray && filter.asArray()[0] === key("Crypt")) {
    filter.remove(0);
    if (parameters instanceof PDFArray) parameters.remove(0);
  }
  return PDFRawStream.of(dict, data);
}

function versionOf(file: PdfFile): PDFHeader {
  const stated = /%PDF-(\d)\.(\d)/.exec(latin1(file.bytes, 0, 20));
  const [major, minor] = [Number(stated?.[1] ?? 1), Number(stated?.[2] ?? 7)];
  // Object streams, which are written, came with 1.5.
  return major >= 2 ? PDFHeader.forVersion(major, minor) : PDFHeader.forVersion(1, Math.max(5, minor));
}
