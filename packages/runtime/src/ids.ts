import { v7 } from "uuid";
import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

/** New identifiers, given to whoever needs them. */
export interface Ids {
  /** A UUIDv7 (RFC 9562): sorts by the time of its making. */
  uuidv7(): string;
}

/** Ids made of the given time and chance. */
export const idsFrom = (clock: Clock, random: Random): Ids => ({
  uuidv7: () => v7({ msecs: clock.now(), random: random.bytes(16) }),
});
