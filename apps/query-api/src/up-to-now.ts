import { NotYetThere } from "@rubrica/http";
import type { Collection } from "@rubrica/read-models";
import type { QueryApiDependencies } from "./dependencies.ts";

/** How long a reader waits for projections that are behind, in milliseconds; then the answer is to come again. */
export const FRESHNESS_TIMEOUT_MS = 2_000;

/** Waits until a read model holds all that was written before. @throws {NotYetThere} */
export const upToNow = async (
  { events, freshness }: Pick<QueryApiDependencies, "events" | "freshness">,
  projection: Collection,
): Promise<void> => {
  const last = await events.lastPosition();
  if (last && !(await freshness.waitFor(projection, last, FRESHNESS_TIMEOUT_MS)))
    throw new NotYetThere(await freshness.leftMs(projection, last));
};
