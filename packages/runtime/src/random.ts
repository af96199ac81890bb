import { randomBytes } from "node:crypto";

/** Chance, given to whoever needs it. */
export interface Random {
  /** `length` unpredictable bytes, good enough for keys. */
  bytes(length: number): Buffer;
  /** A number in [0, 1), for jitter; never for secrets. */
  fraction(): number;
}

/** The operating system's randomness. */
export const systemRandom: Random = {
  bytes: (length) => randomBytes(length),
  fraction: () => Math.random(),
};
