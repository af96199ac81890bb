import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { PDFArray, PDFDict, PDFHexString, PDFName, type PDFObject, PDFRawStream, PDFString } from "pdf-lib";
import { Damaged } from "./faults.ts";
import { type FileKey, fileKey, keyOfObject, stringBytes } from "./file-key.ts";
import { rc4 } from "./rc4.ts";

const key = (name: string) => PDFName.of(name);
const AES_BLOCK_BYTES = 16;
/** Of two line ends MuPDF makes one, and what is no digit only some readers pass over. */
const ODDLY_WRITTEN = /^\([\s\S]*\r\n|^<[\dA-Fa-f\s]*[^\dA-Fa-f\s>]/;

type Method = "none" | "rc4" | "aes";

/** What the objects of a revision are decrypted by, by its trailer, as a text to be compared; empty where nothing is encrypted. */
export const decryptedBy = (trailer: PDFDict): string => {
  const [encrypt, identifiers] = [trailer.get(key("Encrypt")), trailer.get(key("ID"))];
  // The second identifier is each revision's own.
  const permanent = identifiers instanceof PDFArray && identifiers.size() > 0 ? identifiers.get(0) : identifiers;
  return encrypt === undefined ? "" : `${encrypt} ${permanent}`;
};

/**
 * Decrypts what is encrypted with an empty password (ISO 32000-2, 7.6), and encrypts what is appended to it: such a
 * file opens for everybody, its encryption only states what its author asks readers not to do.
 */
export class Decryption {
  /** Numbers of the objects so far that hold what is not padded as it has to be (7.6.3.1), or strings of other bytes for some readers. */
  readonly oddlyEncrypted = new Set<number>();
  readonly #key: FileKey;
  readonly #strings: Method;
  readonly #streams: Method;
  readonly #metadata: boolean;

  /**
   * For a trailer's Encrypt dictionary; null when it takes a password, or a method that is not known.
   * @param resolve follows references, without decrypting
   */
  static forEveryone(
    trailer: PDFDict,
    resolve: (value: PDFObject | undefined) => PDFObject | undefined,
  ): Decryption | null {
    const encrypt = resolve(trailer.get(key("Encrypt")));
    if (!(encrypt instanceof PDFDict) || resolve(encrypt.get(key("Filter"))) !== key("Standard")) return null;
    const identifiers = resolve(trailer.get(key("ID")));
    const identifier = identifiers instanceof PDFArray ? resolve(identifiers.asArray()[0]) : undefined;
    const entry = (name: string) => resolve(encrypt.get(key(name)));
    const found = fileKey(entry, stringBytes(identifier));
    if (found === null) return null;
    const methods = ["StrF", "StmF"].map((name) => methodOf(found.version, entry, name, resolve));
    const [strings, streams] = methods;
    if (strings === undefined || streams === undefined) return null;
    return new Decryption(found, strings, streams);
  }

  private constructor(found: FileKey, strings: Method, streams: Method) {
    this.#key = found;
    this.#strings = strings;
    this.#streams = streams;
    this.#metadata = found.encryptsMetadata;
  }

  /** The object with all its strings decrypted. */
  object(value: PDFObject, number: number, generation: number): PDFObject {
    if (this.#strings === "none") return value;
    if (value instanceof PDFString || value instanceof PDFHexString) {
      if (ODDLY_WRITTEN.test(String(value))) this.oddlyEncrypted.add(number);
      const plain = this.#decrypt(value.asBytes(), this.#strings, number, generation);
      return PDFHexString.of(Buffer.from(plain).toString("hex"));
    }
    if (value instanceof PDFArray) {
      for (const [index, item] of value.asArray().entries()) value.set(index, this.object(item, number, generation));
    } else if (value instanceof PDFDict) {
      const isSignature = value.has(key("ByteRange"));
      for (const [name, item] of value.entries()) {
        // A signature covers the whole file, and is the one string that is not encrypted.
        if (!(isSignature && name === key("Contents"))) value.set(name, this.object(item, number, generation));
      }
    }
    return value;
  }

  /** A copy of an object that is appended to the file, with its strings, and its data if it is a stream, encrypted. */
  encrypted(value: PDFObject, number: number, generation: number): PDFObject {
    if (value instanceof PDFString || value instanceof PDFHexString) {
      return PDFHexString.of(
        Buffer.from(this.#encrypt(value.asBytes(), this.#strings, number, generation)).toString("hex"),
      );
    }
    if (value instanceof PDFRawStream) {
      const dict = this.encrypted(value.dict, number, generation) as PDFDict;
      return PDFRawStream.of(dict, this.#encrypt(value.contents, this.#streams, number, generation));
    }
    if (value instanceof PDFArray) {
      const copy = value.clone();
      for (const [index, item] of value.asArray().entries()) copy.set(index, this.encrypted(item, number, generation));
      return copy;
    }
    if (value instanceof PDFDict) {
      const copy = PDFDict.withContext(value.context);
      const isSignature = value.has(key("ByteRange"));
      for (const [name, item] of value.entries()) {
        const isPlain = isSignature && name === key("Contents");
        copy.set(name, isPlain ? item : this.encrypted(item, number, generation));
      }
      return copy;
    }
    return value;
  }

  #encrypt(data: Uint8Array, method: Method, number: number, generation: number): Uint8Array {
    if (method === "none") return data;
    const objectKey = keyOfObject(this.#key, number, generation, method === "aes");
    if (method === "rc4") return rc4(objectKey, data);
    assertAesKey(objectKey);
    // The same object is always encrypted the same, so that what this service appends can be made again and compared.
    const vector = createHash("sha256").update(objectKey).update(data).digest().subarray(0, AES_BLOCK_BYTES);
    const cipher = createCipheriv(`aes-${objectKey.length * 8}-cbc`, objectKey, vector);
    return new Uint8Array(Buffer.concat([vector, cipher.update(data), cipher.final()]));
  }

  /** A stream's data, decrypted. */
  stream(dict: PDFDict, data: Uint8Array, number: number, generation: number): Uint8Array {
    const type = dict.get(key("Type"));
    if (type === key("XRef") || (type === key("Metadata") && !this.#metadata) || hasOwnCryptFilter(dict)) return data;
    return this.#decrypt(data, this.#streams, number, generation);
  }

  #decrypt(data: Uint8Array, method: Method, number: number, generation: number): Uint8Array {
    if (method === "none") return data;
    const objectKey = keyOfObject(this.#key, number, generation, method === "aes");
    if (method === "rc4") return rc4(objectKey, data);
    const { plain, isPaddedOddly } = aes(objectKey, data);
    if (isPaddedOddly) this.oddlyEncrypted.add(number);
    return plain;
  }
}

/** What a crypt filter (table 25) does to strings or streams; undefined when it is not known. */
const methodOf = (
  version: number,
  entry: (name: string) => PDFObject | undefined,
  name: string,
  resolve: (value: PDFObject | undefined) => PDFObject | undefined,
): Method | undefined => {
  if (version < 4) return "rc4";
  const filter = entry(name) ?? key("Identity");
  if (filter === key("Identity")) return "none";
  const filters = entry("CF");
  const found = filters instanceof PDFDict && filter instanceof PDFName ? resolve(filters.get(filter)) : undefined;
  const method = found instanceof PDFDict ? resolve(found.get(key("CFM"))) : undefined;
  if (method === key("AESV2") || method === key("AESV3")) return "aes";
  if (method === key("V2")) return "rc4";
  return method === undefined || method === key("None") ? "none" : undefined;
};

/** Whether a stream names a crypt filter itself: `Identity`, which everybody may use, does not count. */
const hasOwnCryptFilter = (dict: PDFDict): boolean => {
  const filter = dict.get(key("Filter"));
  const names = filter instanceof PDFArray ? filter.asArray() : [filter];
  return names.includes(key("Crypt"));
};

const assertAesKey = ({ length }: Uint8Array): void => {
  if (length !== 16 && length !== 32) throw new Damaged("its key has a length that AES has not");
};

/** AES-CBC, the initialization vector first (7.6.3); padding that is not as it should be is left where it is. */
const aes = (objectKey: Uint8Array, data: Uint8Array): { plain: Uint8Array; isPaddedOddly: boolean } => {
  assertAesKey(objectKey);
  const length = data.length - (data.length % AES_BLOCK_BYTES);
  // Some writers leave what is empty as it is.
  if (length < 2 * AES_BLOCK_BYTES) return { plain: new Uint8Array(), isPaddedOddly: data.length > 0 };
  const decipher = createDecipheriv(
    `aes-${objectKey.length * 8}-cbc`,
    objectKey,
    data.subarray(0, AES_BLOCK_BYTES),
  ).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(data.subarray(AES_BLOCK_BYTES, length)), decipher.final()]);
  const count = padded.at(-1) ?? 0;
  const isPadding = count >= 1 && count <= AES_BLOCK_BYTES;
  return {
    plain: isPadding ? padded.subarray(0, padded.length - count) : padded,
    isPaddedOddly: length < data.length || !isPadding || !padded.subarray(-count).every((byte) => byte === count),
  };
};
