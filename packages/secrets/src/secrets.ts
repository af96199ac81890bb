import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from "node:crypto";
import { pacer } from "@rubrica/runtime";

/** What SECRET is used for. Each use has a subkey of its own, so that what one of them gives away helps with no other. */
export type SecretUse =
  | "key-wrap"
  | "signing-link"
  | "phone-line"
  | "request"
  | "custom-id"
  | "simulator"
  | "identity-simulator"
  | "public-file"
  | "demo-api-key"
  | "simulator-key"
  | "provider-message";

/** The least that a secret may hold: HKDF stretches a strong secret, it does not strengthen a weak one. */
export const SECRET_MIN_BYTES = 32;

/** Fewer bytes of a MAC than these are never accepted as one. */
const MAC_MIN_BYTES = 16;
const SUBKEY_BYTES = 32;

/** Subkeys and MACs made of SECRET. Nothing of SECRET itself leaves it. */
export interface Secrets {
  /** The 256-bit key for one use, of the current secret. */
  subkey(use: SecretUse): Buffer;
  /** The keys for one use: the current secret's first, then the former ones', for reading what they protected. */
  subkeys(use: SecretUse): readonly Buffer[];
  /** HMAC-SHA256 (32 bytes) of the parts by the current secret. Other parts, or parts cut elsewhere, give another MAC. */
  hmac(use: SecretUse, parts: readonly string[]): Buffer;
  /**
   * The MACs of one part that comes in pieces, as {@link hmac} would give them for the joined part: by the current secret,
   * then by the former ones. For parts of many megabytes: between pieces the event loop goes on.
   */
  longHmacs(use: SecretUse, pieces: readonly string[]): Promise<readonly Buffer[]>;
  /**
   * Whether `mac` was made of the parts by the current or a former secret, compared in constant time.
   * A MAC may be cut to its first 16 bytes or more; a shorter one is refused.
   */
  verify(use: SecretUse, parts: readonly string[], mac: Uint8Array): boolean;
  /**
   * An identifier (64 hex digits) made of the parts, by the oldest secret: it names what already exists, so it has to
   * stay what it was when SECRET is changed.
   */
  lastingId(use: SecretUse, parts: readonly string[]): string;
}

/**
 * Derives what the service needs from SECRET, by HKDF-SHA256 (RFC 5869).
 *
 * `former` holds the secrets of before, newest first. Keep the oldest one for good: lasting ids are made of it.
 * @throws {RangeError} when a secret has fewer than {@link SECRET_MIN_BYTES} bytes.
 */
export const createSecrets = ({ current, former = [] }: { current: Buffer; former?: readonly Buffer[] }): Secrets => {
  const oldest = former.at(-1) ?? current;
  if ([current, ...former].some(({ length }) => length < SECRET_MIN_BYTES))
    throw new RangeError(`a secret needs at least ${SECRET_MIN_BYTES} bytes`);

  const derive = (secret: Buffer, use: SecretUse): Buffer =>
    Buffer.from(hkdfSync("sha256", secret, "", `rubrica/v1/${use}`, SUBKEY_BYTES));
  const remember = <T>(make: (use: SecretUse) => T): ((use: SecretUse) => T) => {
    const made = new Map<SecretUse, T>();
    return (use) => {
      const known = made.get(use) ?? make(use);
      made.set(use, known);
      return known;
    };
  };
  const subkey = remember((use) => derive(current, use));
  const formerSubkeys = remember((use) => former.map((secret) => derive(secret, use)));
  // As a KeyObject a key is made ready once; as bytes it would be at each use, at several times the MAC's own cost.
  const macKey = remember((use) => createSecretKey(subkey(use)));
  const formerMacKeys = remember((use) => formerSubkeys(use).map((key) => createSecretKey(key)));
  const oldestMacKey = remember((use) => createSecretKey(derive(oldest, use)));
  const subkeys = (use: SecretUse): readonly Buffer[] => [subkey(use), ...formerSubkeys(use)];

  return {
    subkey,
    subkeys,
    hmac: (use, parts) => macOf(macKey(use), parts),
    longHmacs: (use, pieces) => longMacsOf([macKey(use), ...formerMacKeys(use)], pieces),
    verify: (use, parts, mac) =>
      mac.length >= MAC_MIN_BYTES &&
      [macKey(use), ...formerMacKeys(use)].some((key) => {
        const expected = macOf(key, parts).subarray(0, mac.length);
        return expected.length === mac.length && timingSafeEqual(expected, mac);
      }),
    lastingId: (use, parts) => macOf(oldestMacKey(use), parts).toString("hex"),
  };
};

/**
 * The MAC of one part that comes in pieces by a key that is not of SECRET, such as a document's: who has SECRET alone can
 * test nothing against it, nor can anybody once that key is destroyed.
 */
export const longHmacBy = async (key: KeyObject, use: SecretUse, pieces: readonly string[]): Promise<Buffer> => {
  const subkey = createSecretKey(Buffer.from(hkdfSync("sha256", key, "", `rubrica/v1/${use}`, SUBKEY_BYTES)));
  const [mac] = await longMacsOf([subkey], pieces);
  return mac as Buffer;
};

/** So much goes into MACs in one iteration of the event loop: a millisecond of work for each. */
const SLICE_BYTES = 1_048_576;

const longMacsOf = async (keys: readonly KeyObject[], pieces: readonly string[]): Promise<Buffer[]> => {
  const macs = keys.map((key) => createHmac("sha256", key));
  const lengthBytes = Buffer.alloc(4);
  lengthBytes.writeUInt32BE(pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0));
  for (const mac of macs) mac.update(lengthBytes);
  const pace = pacer(SLICE_BYTES);
  for (const piece of pieces) {
    await pace(piece.length);
    for (const mac of macs) mac.update(piece, "utf8");
  }
  return macs.map((mac) => mac.digest());
};

/** Every part goes in behind its length (32 bits, bytes of UTF-8), so that no two lists of parts look the same. */
const macOf = (key: KeyObject, parts: readonly string[]): Buffer => {
  const mac = createHmac("sha256", key);
  for (const part of parts) {
    const bytes = Buffer.from(part, "utf8");
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    mac.update(length).update(bytes);
  }
  return mac.digest();
};
