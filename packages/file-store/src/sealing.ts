import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
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

/** Lower-case hex SHA-256. */
export const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

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
export const seal = (keys: FileKeys, sha256: string, plain: Uint8Array, random: Random): Buffer => {
  const nonce = random.bytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keys.encryption, nonce).setAAD(associatedData(keys.owner, sha256));
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
};

/** The plain bytes of what {@link seal} made for this owner and hash; undefined of anything else. */
export const unseal = (keys: FileKeys, sha256: string, stored: Buffer): Buffer | undefined => {
  if (stored.length < OVERHEAD_BYTES || stored[0] !== VERSION) return undefined;
  const tagAt = stored.length - TAG_BYTES;
  const decipher = createDecipheriv("aes-256-gcm", keys.encryption, stored.subarray(1, HEADER_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(associatedData(keys.owner, sha256))
    .setAuthTag(stored.subarray(tagAt));
  const plain = decipher.update(stored.subarray(HEADER_BYTES, tagAt));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  return sha256Of(plain) === sha256 ? plain : undefined;
};

/** The hash has a fixed length and stands first, so that the two cannot be told apart wrongly. */
const associatedData = (owner: string, sha256: string): Buffer =>
  Buffer.concat([Buffer.of(VERSION), Buffer.from(sha256, "hex"), Buffer.from(owner, "utf8")]);
