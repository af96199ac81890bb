import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Collects all garbage of this process: what memory holds then, or what time takes from then on, is of use. */
export const collectGarbage = runInNewContext("gc") as NonNullable<typeof globalThis.gc>;
