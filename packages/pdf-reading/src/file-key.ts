import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { PDFBool, PDFHexString, PDFNumber, type PDFObject, PDFString } from "pdf-lib";
import { bitsOf } from "./oddities.ts";
import { rc4 } from "./rc4.ts";

/** What passwords are filled up with: an empty one is nothing but this (ISO 32000-2, 7.6.4.3.2). */
const PADDING = Buffer.from("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A", "hex");
const EMPTY = Buffer.alloc(0);

/** The key of an encrypted file. */
export interface FileKey {
  bytes: Uint8Array;
  /** V of the Encrypt dictionary (table 20). */
  version: number;
  encryptsMetadata: boolean;
  /** Whether an empty password opens it as the user's, and as the owner's to no other key: some readers try only one of them, or the owner's first. */
  isOfUser: boolean;
}

/** Bytes of a PDF string; none where there is none. */
export const stringBytes = (value: PDFObject | undefined): Uint8Array =>
  value instanceof PDFString || value instanceof PDFHexString ? value.asBytes() : EMPTY;

const integerOf = (value: PDFObject | undefined): number =>
  value instanceof PDFNumber ? Math.trunc(value.asNumber()) : 0;

type Entry = (name: string) => PDFObject | undefined;

const md5 = (...parts: Uint8Array[]): Buffer => hashed("md5", parts);
const sha256 = (...parts: Uint8Array[]): Buffer => hashed("sha256", parts);

const hashed = (algorithm: string, parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/**
 * The key of a file that opens with an empty password, be it the user's or (with 256 bits, where the two do not
 * depend on each other) the owner's (ISO 32000-2, 7.6.4); null when it does not.
 * @param entry entries of the Encrypt dictionary
 * @param identifier the first of the file's identifiers
 */
export const fileKey = (entry: Entry, identifier: Uint8Array): FileKey | null => {
  const [version, revision] = [integerOf(entry("V")), integerOf(entry("R"))];
  const encryptsMetadata = entry("EncryptMetadata") !== PDFBool.False;
  if (![1, 2, 4, 5].includes(version) || revision < 2 || revision > 6) return null;
  if (revision < 5) {
    const bytes = olderKey(entry, revision, identifier, encryptsMetadata);
    return bytes && { bytes, version, encryptsMetadata, isOfUser: true };
  }
  const [user, owner] = aes256Keys(entry, revision);
  const bytes = user ?? owner;
  const isOfUser = user !== undefined && (owner === undefined || Buffer.compare(user, owner) === 0);
  return bytes === undefined ? null : { bytes, version, encryptsMetadata, isOfUser };
};

/** The key that one object's strings and data are encrypted with (algorithm 1). */
export const keyOfObject = (file: FileKey, number: number, generation: number, aes: boolean): Uint8Array => {
  if (file.version >= 5) return file.bytes;
  const object = Buffer.from([number, number >> 8, number >> 16, generation, generation >> 8]);
  const hash = md5(file.bytes, object, aes ? Buffer.from("sAlT", "latin1") : EMPTY);
  return hash.subarray(0, Math.min(file.bytes.length + 5, 16));
};

const olderKey = (
  entry: Entry,
  revision: number,
  identifier: Uint8Array,
  encryptsMetadata: boolean,
): Uint8Array | null => {
  const [owner, user] = [stringBytes(entry("O")).subarray(0, 32), stringBytes(entry("U"))];
  const permissions = Buffer.alloc(4);
  const permitted = entry("P");
  permissions.writeInt32LE(permitted instanceof PDFNumber ? bitsOf(permitted) : 0);
  const stated = integerOf(entry("Length")) || 40;
  // Some writers state the length in bytes, or leave it out where it is 128 bits.
  const lengths = revision === 2 ? [5] : [...new Set([stated / 8, stated, 16, 5])].filter((length) => length >= 5);
  const unencrypted = revision >= 4 && !encryptsMetadata ? Buffer.alloc(4, 0xff) : EMPTY;
  for (const length of lengths.filter((candidate) => candidate <= 16)) {
    let key = md5(PADDING, owner, permissions, identifier, unencrypted);
    if (revision >= 3) for (let round = 0; round < 50; round += 1) key = md5(key.subarray(0, length));
    key = key.subarray(0, length);
    if (opens(key, user, revision, identifier)) return key;
  }
  return null;
};

/** Algorithms 4 to 6: whether a key is the one that the dictionary's U was made with. */
const opens = (key: Uint8Array, user: Uint8Array, revision: number, identifier: Uint8Array): boolean => {
  if (revision === 2) return Buffer.from(rc4(key, PADDING)).equals(user.subarray(0, 32));
  let expected: Uint8Array = md5(PADDING, identifier);
  for (let step = 0; step < 20; step += 1) {
    const masked = key.map((byte) => byte ^ step);
    expected = rc4(masked, expected);
  }
  return Buffer.from(expected).equals(user.subarray(0, 16));
};

/** Algorithm 2.A, for the user and the owner: hash, validation salt and key salt stand in U and O, the encrypted key in UE and OE. */
const aes256Keys = (entry: Entry, revision: number): (Uint8Array | undefined)[] => {
  const user = stringBytes(entry("U")).subarray(0, 48);
  const candidates = [
    { check: user, encrypted: stringBytes(entry("UE")), further: EMPTY },
    { check: stringBytes(entry("O")), encrypted: stringBytes(entry("OE")), further: user },
  ];
  return candidates.map(({ check, encrypted, further }) => {
    if (check.length < 48 || encrypted.length < 32) return undefined;
    const hash = (salt: Uint8Array) => (revision === 5 ? sha256(salt, further) : hardenedHash(salt, further));
    if (!hash(check.subarray(32, 40)).equals(check.subarray(0, 32))) return undefined;
    const decipher = createDecipheriv("aes-256-cbc", hash(check.subarray(40, 48)), Buffer.alloc(16));
    return decipher.setAutoPadding(false).update(encrypted.subarray(0, 32));
  });
};

/** Algorithm 2.B, with an empty password. */
const hardenedHash = (salt: Uint8Array, further: Uint8Array): Buffer => {
  let key = sha256(salt, further);
  for (let round = 0, last = 0; round < 64 || last > round - 32; round += 1) {
    const block = Buffer.concat([key, further]);
    const repeated = Buffer.concat(Array<Buffer>(64).fill(block));
    const cipher = createCipheriv("aes-128-cbc", key.subarray(0, 16), key.subarray(16, 32)).setAutoPadding(false);
    const encrypted = cipher.update(repeated);
    const remainder = encrypted.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = hashed(["sha256", "sha384", "sha512"][remainder] ?? "sha256", [encrypted]);
    last = encrypted.at(-1) ?? 0;
  }
  return key.subarray(0, 32);
};
