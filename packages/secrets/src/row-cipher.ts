import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import type { Random } from "@rubrica/runtime";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Keeps what is personal in a file of the service's own from lying there in the clear. */
export interface RowCipher {
  /** AES-256-GCM by the newest key: nonce, ciphertext, tag. Bound to `about`, so that rows cannot change places. */
  encrypt(about: string, bytes: Uint8Array): Buffer;
  /** What was encrypted, by whichever key. @throws {Error} when none opens it. */
  decrypt(about: string, encrypted: Uint8Array): Buffer;
}

/**
 * @param options.keys 256 bits each, the newest first; former ones still open what they encrypted.
 * @param options.purpose sets apart what is made of the same keys for other ends.
 * @throws {RangeError} when there is no key, or one has another length.
 */
export const createRowCipher = ({
  keys,
  purpose,
  random,
}: {
  keys: readonly Buffer[];
  purpose: string;
  random: Random;
}): RowCipher => {
  if (keys.some(({ length }) => length !== KEY_BYTES)) throw new RangeError(`a key has ${KEY_BYTES} bytes`);
  const [newest, ...former] = keys.map((key) => Buffer.from(hkdfSync("sha256", key, "", purpose, KEY_BYTES)));
  if (!newest) throw new RangeError("a key is needed");
  return {
    encrypt(about, bytes) {
      const nonce = random.bytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", newest, nonce).setAAD(Buffer.from(about));
      return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    },
    decrypt(about, encrypted) {
      for (const key of [newest, ...former]) {
        const bytes = opened(key, about, encrypted);
        if (bytes) return bytes;
      }
      throw new Error("this file cannot be read with the SECRET (and former ones) that are set");
    },
  };
};

const opened = (key: Buffer, about: string, encrypted: Uint8Array): Buffer | undefined => {
  if (encrypted.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, encrypted.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(about))
    .setAuthTag(encrypted.subarray(-TAG_BYTES));
  const bytes = decipher.update(encrypted.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return Buffer.concat([bytes, decipher.final()]);
  } catch {
    return undefined;
  }
};
