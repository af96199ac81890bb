import { createDecipheriv } from "node:crypto";
import { PDFArray, PDFBool, PDFDict, PDFName, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";
import { decryptedBy } from "./decryption.ts";
import { unlessDamaged } from "./faults.ts";
import { fileKey, stringBytes } from "./file-key.ts";
import { names } from "./names.ts";
import { bitsOf, isOddNumber, isReal } from "./oddities.ts";
import type { PdfFile } from "./pdf-file.ts";

/** One of the ways of encryption that all readers know (ISO 32000-2, 7.6.2 to 7.6.6), by the numbers of its dictionary. */
interface Way {
  version: number;
  revisions: readonly number[];
  /** Of the key, as `Length` has it; undefined where it may be left out. */
  bits: readonly (number | undefined)[];
  /** How many bytes `O` and `U` have. */
  passwordBytes: number;
  /** Of the one crypt filter, by its method: what it may have for a length. None before there were crypt filters. */
  filters?: ReadonlyMap<PDFName, readonly (number | undefined)[]>;
}

const name = (text: string) => PDFName.of(text);
const BYTE_BITS = 8;
const steps = (least: number, most: number) =>
  Array.from({ length: (most - least) / BYTE_BITS + 1 }, (_, index) => least + index * BYTE_BITS);

const ways: readonly Way[] = [
  { version: 1, revisions: [2], bits: [undefined, 40], passwordBytes: 32 },
  { version: 2, revisions: [3], bits: [undefined, ...steps(40, 128)], passwordBytes: 32 },
  {
    version: 4,
    revisions: [4],
    bits: [128],
    passwordBytes: 32,
    filters: new Map([
      [name("V2"), [undefined, 16]],
      [name("AESV2"), [undefined, 16, 128]],
    ]),
  },
  {
    version: 5,
    revisions: [5, 6],
    bits: [undefined, 256],
    passwordBytes: 48,
    filters: new Map([[name("AESV3"), [undefined, 32, 256]]]),
  },
];

const COMMON = ["Filter", "V", "R", "Length", "P", "O", "U", "EncryptMetadata"].map(name);
const OF_FILTERS = ["CF", "StmF", "StrF"].map(name);
const OF_256_BITS = ["OE", "UE", "Perms"].map(name);
const OF_A_FILTER = ["Type", "CFM", "AuthEvent", "Length"].map(name);
const [STANDARD, STANDARD_FILTER, CRYPT] = names("Standard", "StdCF", "Crypt");

/**
 * Whether all readers decrypt a file to the same: one that opens for everybody is encrypted in a usual way, by one
 * dictionary, all of it, and padded and written as it has to be. What is unusual each reader takes in its own way, and can then show
 * something else than others; what only some can open at all is none of this.
 */
export const isPlainlyEncrypted = (file: PdfFile): boolean => {
  const { trailer, sections, locations } = file.crossReference;
  if (sections.trailers.some((one) => decryptedBy(one) !== decryptedBy(trailer))) return false;
  const entry = trailer.get(name("Encrypt"));
  const dict = entry instanceof PDFRef ? standing(file, entry) : entry;
  const identifiers = file.arrayEntry(trailer, "ID")?.asArray() ?? [];
  // MuPDF opens none with one identifier alone.
  if (identifiers.length !== 2) return false;
  const identifier = file.resolve(identifiers[0]);
  if (!(dict instanceof PDFDict && isUsual(dict, stringBytes(identifier)))) return false;
  for (const { objectNumber } of file.references()) {
    const stream = unlessDamaged(() => file.streamData(objectNumber));
    if (stream !== undefined && filtersOf(file, stream.dict).includes(CRYPT)) return false;
  }
  // A stream of the cross-reference is not encrypted.
  const isSection = (number: number): boolean => {
    const location = locations.get(number);
    return location?.kind === "offset" && sections.offsets.includes(location.offset);
  };
  return [...file.oddlyEncrypted].every(isSection);
};

/** An object that stands in the file itself, and is no stream. */
const standing = (file: PdfFile, { objectNumber }: PDFRef): PDFObject | undefined => {
  const isInFile = file.crossReference.locations.get(objectNumber)?.kind === "offset";
  return isInFile && file.streamData(objectNumber) === undefined ? file.object(objectNumber) : undefined;
};

const filtersOf = (file: PdfFile, dict: PDFDict): (PDFObject | undefined)[] => {
  const filter = file.entry(dict, "Filter");
  return filter instanceof PDFArray ? filter.asArray().map((item) => file.resolve(item)) : [filter];
};

/** Whether an Encrypt dictionary has what one of the usual ways has, and nothing else. */
const isUsual = (dict: PDFDict, identifier: Uint8Array): boolean => {
  const integer = (key: string) => integerOf(dict.get(name(key)));
  const way = ways.find(({ version, revisions }) => version === integer("V") && revisions.includes(integer("R") ?? 0));
  if (way === undefined || !way.bits.includes(integer("Length")) || !Number.isInteger(integer("P"))) return false;
  const found = fileKey((key) => dict.get(name(key)), identifier);
  const keyBits = integer("Length") ?? (way.version === 5 ? 256 : 40);
  if (found?.bytes.length !== keyBits / BYTE_BITS || !found.isOfUser) return false;
  const allowed = [...COMMON, ...(way.filters ? OF_FILTERS : []), ...(way.version >= 5 ? OF_256_BITS : [])];
  return (
    dict.get(name("Filter")) === STANDARD &&
    dict.keys().every((key) => allowed.includes(key)) &&
    ["O", "U"].every((key) => stringBytes(dict.get(name(key))).length === way.passwordBytes) &&
    // Readers don't agree on which streams are metadata.
    [undefined, PDFBool.True].includes(dict.get(name("EncryptMetadata")) as PDFBool | undefined) &&
    (way.filters === undefined || isFilteredByOne(dict, way.filters)) &&
    (way.version < 5 || hasItsPermissions(dict, found.bytes))
  );
};

/** Whether what is encrypted of the permissions of a file of 256 bits is what stands beside (algorithm 13): some readers check it, and don't open another. */
const hasItsPermissions = (dict: PDFDict, key: Uint8Array): boolean => {
  const [encrypted, permitted] = [stringBytes(dict.get(name("Perms"))), dict.get(name("P"))];
  if (encrypted.length !== 16 || !(permitted instanceof PDFNumber)) return false;
  const decipher = createDecipheriv("aes-256-ecb", key, null).setAutoPadding(false);
  const permissions = decipher.update(encrypted);
  return permissions.readInt32LE() === bitsOf(permitted) && permissions.toString("latin1", 8, 12) === "Tadb";
};

/** Whether one crypt filter is for strings and streams, and no other is there. */
const isFilteredByOne = (dict: PDFDict, methods: NonNullable<Way["filters"]>): boolean => {
  const filters = dict.get(name("CF"));
  if (!(filters instanceof PDFDict) || filters.keys().length !== 1) return false;
  const filter = filters.get(STANDARD_FILTER);
  if (!(filter instanceof PDFDict && filter.keys().every((key) => OF_A_FILTER.includes(key)))) return false;
  const [method, event] = [filter.get(name("CFM")), filter.get(name("AuthEvent"))];
  return (
    ["StmF", "StrF"].every((key) => dict.get(name(key)) === STANDARD_FILTER) &&
    (event === undefined || event === name("DocOpen")) &&
    method instanceof PDFName &&
    methods.get(method)?.includes(integerOf(filter.get(name("Length")))) === true
  );
};

/** An integer that stands there itself; NaN for all else that does, undefined where nothing does. */
const integerOf = (value: PDFObject | undefined): number | undefined => {
  if (value === undefined) return undefined;
  return value instanceof PDFNumber && !isReal(value) && !isOddNumber(value) ? value.asNumber() : Number.NaN;
};
