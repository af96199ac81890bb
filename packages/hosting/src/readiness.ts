import { join } from "node:path";
import { NotReady, type ReadinessCheck } from "@rubrica/http";
import { EngineUnreachable, type NoEngines, probeDataFolder, type Records, type Stores } from "@rubrica/open-engines";
import { type Collection, projectionsBy, quarantined } from "@rubrica/read-models";
import { type Clock, remembered } from "@rubrica/runtime";
import type { Host } from "./host.ts";
import { type LagParts, lagCheck, lagMeasurement } from "./lag.ts";
import type { Measurements } from "./metrics/metrics.ts";
import { NO_ANSWER } from "./when-reachable.ts";

/** How long a result is remembered: anybody may ask, and a check writes, or reads some megabytes. */
const REMEMBERED_MS = 1_000;

/** The check, done once a second at most. */
const onceASecond = (clock: Clock, check: ReadinessCheck): ReadinessCheck => remembered(clock, REMEMBERED_MS, check);

/** Whether the folder can be written. */
const writable = (folder: string, clock: Clock): ReadinessCheck =>
  onceASecond(clock, () =>
    probeDataFolder(folder).catch((error) => {
      throw new NotReady(error instanceof Error ? error.message : "it can't be written", { cause: error });
    }),
  );

/** Beyond so many their number is not told. */
const MAX_COUNTED = 1_000;

/**
 * Tells how many streams of which kind are set aside because they can't be read. It names none, since anybody may ask; the
 * log does. It stays ready: everything else goes on, and a balancer should go on sending requests here.
 */
const streams =
  ({ engines }: Host<Records & Partial<Pick<Stores, "journal">>>): ReadinessCheck =>
  async () => {
    const { readModels, journal } = engines;
    const met = journal?.unreadableStreams ?? [];
    const kinds = new Map(met.map(({ stream, streamKind }) => [stream, streamKind as string]));
    for await (const { stream, kind } of quarantined(readModels)) {
      kinds.set(stream, kind);
      if (kinds.size >= MAX_COUNTED) break;
    }
    if (kinds.size === 0) return;
    const counts = Object.entries(Object.groupBy(kinds.values(), (kind) => kind));
    const told = counts.map(([kind, some]) => `${kind}: ${some?.length}`).join(", ");
    const number = kinds.size >= MAX_COUNTED ? `${MAX_COUNTED} or more` : kinds.size;
    return `${number} ${kinds.size === 1 ? "stream" : "streams"} can't be read, and ${kinds.size === 1 ? "is" : "are"} set aside (${told})`;
  };

/** Whether the engines answer, each by its name. */
const engineChecks = ({ engines: { pings }, runtime }: Host<NoEngines>): Record<string, ReadinessCheck> =>
  Object.fromEntries(
    Object.entries(pings).map(([name, ping]) => [
      name,
      onceASecond(runtime.clock, () =>
        ping().catch((error) => {
          throw error instanceof EngineUnreachable ? new NotReady(NO_ANSWER, { cause: error }) : error;
        }),
      ),
    ]),
  );

/** For an app that reads: whether the engines answer, and the events can be read. */
const readingChecks = (host: Host<Records>): Record<string, ReadinessCheck> => ({
  ...engineChecks(host),
  streams: onceASecond(host.runtime.clock, streams(host)),
});

/** For an app that reads what is projected, or projects it: the same, and whether the read models are not far behind. */
export const projectedChecks = (host: Host<Records>): Record<string, ReadinessCheck> => ({
  ...readingChecks(host),
  "read models": onceASecond(host.runtime.clock, lagCheck(...lagParts(host))),
});

/** For the same apps: how far behind each read model is. */
export const projectedMeasurements = (host: Host<Records>): Measurements => ({
  projectionLag: lagMeasurement(...lagParts(host)),
});

const lagParts = ({
  engines: { events, readModels, customIdHmac },
  runtime: { clock },
}: Host<Records>): [LagParts, readonly Collection[]] => [{ events, readModels, clock }, projectionsBy(customIdHmac)];

/**
 * For an app that writes: the same as one that reads, and whether what is kept in the data folder can be written. The
 * files may lie on a disk of their own.
 */
export const writingChecks = (host: Host<Records>): Record<string, ReadinessCheck> => {
  const {
    config: { dataDir, eventStoreUrl, mongodbUrl },
    runtime: { clock },
  } = host;
  const files = join(dataDir, "files", "unfinished");
  return {
    ...readingChecks(host),
    ...(eventStoreUrl === undefined || mongodbUrl === undefined ? { "data folder": writable(dataDir, clock) } : {}),
    ...(mongodbUrl === undefined ? { "file store": writable(files, clock) } : {}),
  };
};
