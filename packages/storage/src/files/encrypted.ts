import { hash } from "node:crypto";
import type { Random } from "@rubrica/runtime";
import type { KeyStore } from "../keys/port.ts";
import { decrypt, encrypt, type FileKeys, fileKeysOf, OVERHEAD_BYTES, sha256Of, storedName } from "./encryption.ts";
import { FileCorruptError, FileMissingError, type FileStore, FileTooLargeError } from "./port.ts";

/** A file's limit unless it is set: what the largest document, sealed, needs. */
const DEFAULT_MAX_SIZE_BYTES = 64 * 1024 * 1024;

/** Where an engine keeps encrypted bytes. It sees neither keys nor plain bytes. */
export interface BlobStore {
  /** Keeps the bytes under the name, in place of what was there, durable before it resolves. */
  write(name: string, bytes: Buffer): Promise<void>;
  /** What is kept under the name, or undefined; "too large" when it is more than `maxBytes`. */
  read(name: string, maxBytes: number): Promise<Buffer | "too large" | undefined>;
  /** Makes durable what is found under the name, whoever wrote it. */
  sync(name: string): Promise<void>;
  /** Every name that something is kept under, once, in ascending order. Names under which nothing is kept any more may be among them. */
  names(): AsyncIterable<string>;
  /** Removes what is kept under names that start so (two characters at least), durably. */
  removeAll(prefix: string): Promise<void>;
  /** Up to where erasures were carried out, as it was noted last; undefined while nothing was. */
  erasuresDone(): Promise<string | undefined>;
  noteErasuresDone(text: string): Promise<void>;
  close(): Promise<void>;
}

/** What every engine of the file store takes. */
export interface FileStoreOptions {
  keys: KeyStore;
  random: Random;
  /** The most bytes a file may hold; 64 MiB when not given. */
  maxSizeBytes?: number;
}

/** The file store on blobs: hashes, encrypts, names; checks what it reads. Closing it leaves the key store open. */
export const fileStoreOn = (
  blobs: BlobStore,
  { keys, random, maxSizeBytes = DEFAULT_MAX_SIZE_BYTES }: FileStoreOptions,
): FileStore => ({
  async put(owner, bytes, mediaType) {
    if (bytes.length > maxSizeBytes) throw new FileTooLargeError(maxSizeBytes);
    // The caller's buffer may change while the disk is awaited; what is hashed is what is stored.
    const plain = Buffer.from(bytes);
    const sha256 = await sha256Of(plain);
    const fileKeys = fileKeysOf(owner, await keys.obtain(owner));
    const name = blobName(fileKeys, sha256);
    if (await isKept(blobs, fileKeys, name, sha256, plain.length)) await blobs.sync(name);
    else await blobs.write(name, await encrypt(fileKeys, sha256, plain, random));
    return { sha256, size: plain.length, mediaType };
  },

  async get(owner, sha256) {
    const ownerKey = await keys.find(owner);
    if (!ownerKey || !/^[0-9a-f]{64}$/.test(sha256)) throw new FileMissingError();
    const fileKeys = fileKeysOf(owner, ownerKey);
    const stored = await blobs.read(blobName(fileKeys, sha256), maxSizeBytes + OVERHEAD_BYTES);
    if (!stored) throw new FileMissingError();
    const plain = stored === "too large" ? undefined : await decrypt(fileKeys, sha256, stored);
    if (!plain) throw new FileCorruptError();
    return plain;
  },

  removeAll: (owner) => blobs.removeAll(ownersPrefix(owner)),
  async *encryptedNames() {
    for await (const name of blobs.names()) if (BLOB_NAME.test(name)) yield name;
  },

  async getEncrypted(name) {
    if (!BLOB_NAME.test(name)) return undefined;
    const encrypted = await blobs.read(name, maxSizeBytes + OVERHEAD_BYTES);
    if (encrypted === "too large") throw new FileCorruptError();
    return encrypted;
  },

  async putEncrypted(name, encrypted) {
    if (!BLOB_NAME.test(name)) throw new TypeError("not a name that a file is kept under");
    if (encrypted.length > maxSizeBytes + OVERHEAD_BYTES) throw new FileTooLargeError(maxSizeBytes);
    await blobs.write(name, Buffer.from(encrypted));
  },

  erasuresDone: () => blobs.erasuresDone(),
  noteErasuresDone: (upTo) => blobs.noteErasuresDone(upTo),
  close: () => blobs.close(),
});

/** All files of an owner share the first half, so that they are found once there is no key any more. */
const ownersPrefix = (owner: string): string => `${hash("sha256", owner).slice(0, 32)}-`;

const blobName = (keys: FileKeys, sha256: string): string => `${ownersPrefix(keys.owner)}${storedName(keys, sha256)}`;

const BLOB_NAME = /^[0-9a-f]{32}-[0-9a-f]{64}$/;

/** Whether the file is there and whole: one that was damaged since is mended by storing it again. */
const isKept = async (
  blobs: BlobStore,
  keys: FileKeys,
  name: string,
  sha256: string,
  sizeBytes: number,
): Promise<boolean> => {
  const stored = await blobs.read(name, sizeBytes + OVERHEAD_BYTES);
  return stored !== undefined && stored !== "too large" && (await decrypt(keys, sha256, stored)) !== undefined;
};
