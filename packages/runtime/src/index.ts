// Clock, ids and randomness, which everything else takes as arguments; small helps for waiting and for doing things one after the other.
// It must not know anything of Rubrica.

export { atFirstUse } from "./at-first-use.ts";
export { type Backoff, backoffMs } from "./backoff.ts";
export { type Clock, isoTime, systemClock, WAIT_ENDED } from "./clock.ts";
export { type Ids, idsFrom } from "./ids.ts";
export { KeyedLimiter } from "./keyed-limiter.ts";
export { madeOnce } from "./made-once.ts";
export { type Random, systemRandom } from "./random.ts";
export { remembered } from "./remembered.ts";
export { pacer, yieldToOthers } from "./yielding.ts";

import type { Clock } from "./clock.ts";
import { systemClock } from "./clock.ts";
import { type Ids, idsFrom } from "./ids.ts";
import { type Random, systemRandom } from "./random.ts";

/** What every app, handler and engine takes instead of reaching for globals. */
export interface Runtime {
  clock: Clock;
  ids: Ids;
  random: Random;
}

/** The real one, for composition roots. */
export const systemRuntime = (): Runtime => ({
  clock: systemClock,
  ids: idsFrom(systemClock, systemRandom),
  random: systemRandom,
});
