import type { Position } from "@rubrica/event-store";
import type { Clock } from "@rubrica/runtime";
import type { ProjectionSource } from "./runner.ts";

/** How long events are gathered that no reader waits for: several events of one document in that time are one write. */
const GATHERING_MS = 500;

/** A source that pauses whenever nothing is left to read: what comes meanwhile is the next batch. */
export const gathered = <Event extends { position: Position }>(
  source: ProjectionSource<Event>,
  clock: Pick<Clock, "wait">,
): ProjectionSource<Event> =>
  async function* (after, signal) {
    for await (const batch of source(after, signal)) {
      yield batch;
      if (batch.caughtUp) await clock.wait(GATHERING_MS, { signal, background: true });
    }
  };
