import { randomBytes, randomFillSync } from "node:crypto";

/** Chance, given to whoever needs it. */
export interface Random {
  /** `length` unpredictable bytes, good enough for keys. */
  bytes(length: number): Buffer;
  /** A number in [0, 1), for jitter; never for secrets. */
  fraction(): number;
}

const POOL_BYTES = 8_192;
const MAX_POOLED_BYTES = 64;

// One call to the operating system costs as much for a page of bytes as for sixteen, and every request needs an id.
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

const pooledBytes = (length: number): Buffer => {
  if (used + length > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.from(pool.subarray(used, used + length));
  // What was given is not kept.
  pool.fill(0, used, used + length);
  used += length;
  return bytes;
};

/** The operating system's randomness. */
export const systemRandom: Random = {
  bytes: (length) => (length <= MAX_POOLED_BYTES ? pooledBytes(length) : randomBytes(length)),
  fraction: () => Math.random(),
};
