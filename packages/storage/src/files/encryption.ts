import {
  type Cipheriv,
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  type Decipheriv,
  hkdfSync,
  type KeyObject,
} from "node:crypto";
import type { Random } from "@rubrica/runtime";

/**
 * How a stored file is laid out: version (1 byte) · nonce (12) · AES-256-GCM of the plain bytes · tag (16).
 * Version, owner and the plain bytes' hash are associated data: no stored file passes for another one.
 */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES;

/** How much larger a stored file is than its plain bytes. */
export const OVERHEAD_BYTES = HEADER_BYTES + TAG_BYTES;

/** What is hashed or encrypted in one iteration of the event loop: a millisecond of work. */
const SLICE_BYTES = 1024 * 1024;

async function* slicesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    if (at > 0) await new Promise(setImmediate);
    yield bytes.subarray(at, at + SLICE_BYTES);
  }
}

/** Lower-case hex SHA-256. */
export const sha256Of = async (bytes: Uint8Array): Promise<string> => {
  const hash = createHash("sha256");
  for await (const slice of slicesOf(bytes)) hash.update(slice);
  return hash.digest("hex");
};

/** What an owner's key gives for files: one key that encrypts, one that names. */
export interface FileKeys {
  owner: string;
  encryption: KeyObject;
  naming: KeyObject;
}

/** Derives the file keys from an owner's key, by HKDF-SHA256 (RFC 5869). */
export const fileKeysOf = (owner: string, ownerKey: KeyObject): FileKeys => {
  const derive = (use: string) =>
    createSecretKey(new Uint8Array(hkdfSync("sha256", ownerKey, "", `rubrica/file/v1/${use}`, 32)));
  return { owner, encryption: derive("encryption"), naming: derive("naming") };
};

/**
 * The name that a file is stored under (64 hex digits). Made with the owner's key: a plain hash would let anybody who
 * sees the folder test whether a content that they can guess is in it, also after the key was destroyed.
 */
export const storedName = (keys: FileKeys, sha256: string): string =>
  createHmac("sha256", keys.naming).update(sha256).digest("hex");

/** Encrypts a file, with a nonce of its own. */
export const encrypt = async (keys: FileKeys, sha256: string, plain: Uint8Array, random: Random): Promise<Buffer> => {
  const nonce = random.bytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keys.encryption, nonce).setAAD(associatedData(keys.owner, sha256));
  const stored = Buffer.alloc(plain.length + OVERHEAD_BYTES);
  stored[0] = VERSION;
  nonce.copy(stored, 1);
  await transform(cipher, plain, stored.subarray(HEADER_BYTES));
  cipher.final();
  cipher.getAuthTag().copy(stored, stored.length - TAG_BYTES);
  return stored;
};

/** Runs the bytes through a cipher that gives as many as it takes, as GCM does. */
const transform = async (cipher: Cipheriv | Decipheriv, from: Uint8Array, to: Buffer): Promise<void> => {
  let at = 0;
  for await (const slice of slicesOf(from)) at += cipher.update(slice).copy(to, at);
};

/** The plain bytes of what {@link encrypt} made for this owner and hash; undefined of anything else. */
export const decrypt = async (keys: FileKeys, sha256: string, stored: Buffer): Promise<Buffer | undefined> => {
  if (stored.length < OVERHEAD_BYTES || stored[0] !== VERSION) return undefined;
  const tagAt = stored.length - TAG_BYTES;
  const decipher = createDecipheriv("aes-256-gcm", keys.encryption, stored.subarray(1, HEADER_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(associatedData(keys.owner, sha256))
    .setAuthTag(stored.subarray(tagAt));
  const plain = Buffer.alloc(tagAt - HEADER_BYTES);
  await transform(decipher, stored.subarray(HEADER_BYTES, tagAt), plain);
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  return (await sha256Of(plain)) === sha256 ? plain : undefined;
};

/** The hash has a fixed length and stands first, so that the two cannot be told apart wrongly. */
const associatedData = (owner: string, sha256: string): Buffer =>
  Buffer.concat([Buffer.of(VERSION), Buffer.from(sha256, "hex"), Buffer.from(owner, "utf8")]);
