import type { Clock } from "@rubrica/runtime";
import { MetaError } from "./errors.ts";

const PAIR_INTERVAL_MS = 6_000;

/** How fast Meta takes messages. */
export interface Limits {
  /** Of one number in a second, to all phones. Meta: 80, later 1,000. */
  perSecond: number;
  /** To one phone at once; after that one in six seconds. Meta: 45. */
  pairBurst: number;
}

/** Counts messages, and refuses what comes too fast: 130429 for all, 131056 to one phone. */
export const createLimits = (clock: Clock, { perSecond, pairBurst }: Limits) => {
  let recent: number[] = [];
  const pairs = new Map<string, { tokens: number; at: number }>();
  return {
    /** @throws {MetaError} */
    take(waId: string): void {
      const now = clock.now();
      recent = recent.filter((at) => now - at < 1_000);
      if (recent.length >= perSecond) throw new MetaError(130429, "Message failed to send: too many in a short time");
      const pair = pairs.get(waId) ?? { tokens: pairBurst, at: now };
      const tokens = Math.min(pairBurst, pair.tokens + (now - pair.at) / PAIR_INTERVAL_MS);
      if (tokens < 1) throw new MetaError(131056, "too many messages to the same phone in a short time");
      pairs.set(waId, { tokens: tokens - 1, at: now });
      recent.push(now);
    },
  };
};
