import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";
import { phoneLine } from "@rubrica/identity";
import type { Random } from "@rubrica/runtime";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Keeps what is personal out of the simulator's file. */
export interface Sealing {
  /** AES-256-GCM by the newest key: nonce, ciphertext, tag. Bound to `about`, so that rows cannot change places. */
  seal(about: string, value: unknown): Buffer;
  /** What was sealed, by whichever key. @throws {Error} when none opens it. */
  open(about: string, sealed: Uint8Array): unknown;
  /** Under which names a phone may be found, by the newest key first. Every way to write one line has the same names. */
  phoneNames(phone: string): [string, ...string[]];
}

interface Keys {
  encryption: Buffer;
  lookup: Buffer;
}

/**
 * @param keys 256 bits each, the newest first.
 * @throws {RangeError} when there is none, or one has another length.
 */
export function createSealing(keys: readonly Buffer[], random: Random): Sealing {
  if (keys.some(({ length }) => length !== KEY_BYTES)) throw new RangeError(`a key has ${KEY_BYTES} bytes`);
  const [newest, ...former] = keys.map(derive);
  if (!newest) throw new RangeError("the simulator needs a key");
  return {
    seal(about, value) {
      const nonce = random.bytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", newest.encryption, nonce).setAAD(Buffer.from(about));
      return Buffer.concat([nonce, cipher.update(JSON.stringify(value), "utf8"), cipher.final(), cipher.getAuthTag()]);
    },
    open(about, sealed) {
      for (const { encryption } of [newest, ...former]) {
        const plain = decrypt(encryption, about, sealed);
        if (plain) return JSON.parse(plain.toString("utf8"));
      }
      throw new Error("the simulator's file cannot be opened with the SECRET (and former ones) that are set");
    },
    phoneNames: (phone) => [nameOf(newest, phone), ...former.map((keys) => nameOf(keys, phone))],
  };
}

const derive = (key: Buffer): Keys => ({
  encryption: Buffer.from(hkdfSync("sha256", key, "", "encryption", KEY_BYTES)),
  lookup: Buffer.from(hkdfSync("sha256", key, "", "lookup", KEY_BYTES)),
});

const nameOf = ({ lookup }: Keys, phone: string): string =>
  createHmac("sha256", lookup).update(phoneLine(phone)).digest("hex");

function decrypt(key: Buffer, about: string, sealed: Uint8Array): Buffer | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(about))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  const plain = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return Buffer.concat([plain, decipher.final()]);
  } catch {
    return undefined;
  }
}
