import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import type { Random } from "@rubrica/runtime";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Keeps what is personal out of the simulator's file. */
export interface Sealing {
  /** AES-256-GCM by the newest key: nonce, ciphertext, tag. Bound to `about`, so that rows cannot change places. */
  seal(about: string, bytes: Uint8Array): Buffer;
  /** What was sealed, by whichever key. @throws {Error} when none opens it. */
  open(about: string, sealed: Uint8Array): Buffer;
}

/**
 * @param keys 256 bits each, the newest first.
 * @throws {RangeError} when there is none, or one has another length.
 */
export const createSealing = (keys: readonly Buffer[], random: Random): Sealing => {
  if (keys.some(({ length }) => length !== KEY_BYTES)) throw new RangeError(`a key has ${KEY_BYTES} bytes`);
  const [newest, ...former] = keys.map((key) => Buffer.from(hkdfSync("sha256", key, "", "identity", KEY_BYTES)));
  if (!newest) throw new RangeError("the simulator needs a key");
  return {
    seal(about, bytes) {
      const nonce = random.bytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", newest, nonce).setAAD(Buffer.from(about));
      return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    },
    open(about, sealed) {
      for (const key of [newest, ...former]) {
        const bytes = decrypt(key, about, sealed);
        if (bytes) return bytes;
      }
      throw new Error("the simulator's file cannot be opened with the SECRET (and former ones) that are set");
    },
  };
};

const decrypt = (key: Buffer, about: string, sealed: Uint8Array): Buffer | undefined => {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(about))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  const bytes = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return Buffer.concat([bytes, decipher.final()]);
  } catch {
    return undefined;
  }
};
