import { comparePositions, type EventStore, type Position } from "@rubrica/event-store";
import { NotReady, type ReadinessCheck } from "@rubrica/http";
import { type Collection, Pace, type ReadModelStore } from "@rubrica/read-models";
import type { Clock } from "@rubrica/runtime";
import type { Measured, Measurement } from "./metrics/metrics.ts";

/** Read models that lack events older than this are not ready. Who reads has waited for 2 s by then, and comes again. */
const BOUND_MS = 30_000;
/** How many events are looked through for one that says its time: other programs' events may say none. */
const LOOKED_THROUGH = 100;

export interface LagParts {
  events: Pick<EventStore, "lastPosition" | "readAll">;
  readModels: Pick<ReadModelStore, "checkpointOf">;
  clock: Clock;
}

/**
 * Whether every projection has what was written more than 30 s ago, by the checkpoints that are stored: it holds
 * whichever process projects. One that has not, as when it is built anew, is told with how far it is in the log and, from
 * the second look on, with how long it takes from there.
 */
export const lagCheck = (parts: LagParts, collections: readonly Collection[]): ReadinessCheck => {
  const paces = new Map<string, Pace>();
  return async () => {
    const last = await parts.events.lastPosition();
    const behind = (await lagsOf(parts, last, collections)).filter(({ ms }) => ms > BOUND_MS);
    for (const name of paces.keys()) if (!behind.some((lag) => lag.name === name)) paces.delete(name);
    if (!last || behind.length === 0) return;
    const told = behind.map((lag) => {
      const pace = paces.get(lag.name) ?? new Pace();
      paces.set(lag.name, pace);
      return wordsOf(lag, last, pace.leftMs(lag.checkpoint, last, parts.clock.monotonicMs()));
    });
    throw new NotReady(told.join(", "));
  };
};

const wordsOf = ({ name, ms, checkpoint }: Lag, last: Position, leftMs: number | undefined): string => {
  const percent = ((checkpoint?.commit ?? 0n) * 100n) / (last.commit || 1n);
  const left = leftMs === undefined ? "" : `, about ${Math.ceil(leftMs / 1_000)} s left`;
  return `${name} is ${Math.floor(ms / 1_000)} s behind (at ${percent} % of the log${left})`;
};

/** Of each projection: how long ago the first event was written that it has not come to. */
export const lagMeasurement =
  (parts: LagParts, collections: readonly Collection[]): Measurement =>
  async () =>
    (await lagsOf(parts, await parts.events.lastPosition(), collections)).map(
      ({ name, ms }): Measured => ({ labels: { projection: name }, value: ms / 1_000 }),
    );

/** Where a projection stands. */
interface Lag {
  name: string;
  /** How long ago the first event was written that it has not come to. */
  ms: number;
  checkpoint: Position | undefined;
}

const lagsOf = async (
  parts: LagParts,
  last: Position | undefined,
  collections: readonly Collection[],
): Promise<readonly Lag[]> => {
  const checkpoints = await Promise.all(collections.map((collection) => parts.readModels.checkpointOf(collection)));
  // Most stand at the same place: the events after it are read once.
  const found = new Map<string, Promise<number>>();
  const lagAfter = (checkpoint: Position | undefined): Promise<number> => {
    if (!last || (checkpoint && comparePositions(checkpoint, last) >= 0)) return Promise.resolve(0);
    const key = checkpoint ? `${checkpoint.commit}/${checkpoint.prepare}` : "the beginning";
    const lag = found.get(key) ?? firstAfter(parts, checkpoint);
    found.set(key, lag);
    return lag;
  };
  return await Promise.all(
    collections.map(async ({ name }, index) => {
      const checkpoint = checkpoints[index];
      return { name, ms: await lagAfter(checkpoint), checkpoint };
    }),
  );
};

/** How long ago the first event after the checkpoint was written. */
const firstAfter = async ({ events, clock }: LagParts, checkpoint: Position | undefined): Promise<number> => {
  let looked = 0;
  for await (const { metadata } of events.readAll(checkpoint)) {
    const writtenMs = typeof metadata.at === "string" ? Date.parse(metadata.at) : Number.NaN;
    if (Number.isFinite(writtenMs)) return clock.now() - writtenMs;
    looked += 1;
    if (looked === LOOKED_THROUGH) break;
  }
  return 0;
};
