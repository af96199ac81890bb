import { join } from "node:path";
import { ConfigError } from "@rubrica/config";
import { type EventStore, EventStoreDbError } from "@rubrica/event-store";
import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { streamKinds, streamName } from "@rubrica/events";
import type { Surroundings } from "./surroundings.ts";

/**
 * The event store that the configuration names: in the data folder when it names none. One over the wire is reached when
 * it is first asked.
 * @throws {ConfigError} when the URL can't be read.
 */
export const openEventStore = async ({
  config,
  runtime: { clock, random },
  listeners,
  keepsReads,
}: Surroundings): Promise<EventStore> => {
  const { eventStoreUrl: url, dataDir } = config;
  const streamPrefixes = streamKinds.map((kind) => streamName(kind, ""));
  if (url === undefined)
    return openEmbeddedEventStore({
      path: join(dataDir, "events.sqlite"),
      clock,
      random,
      streamPrefixes,
      cachesEnds: keepsReads,
    });
  // The driver takes a tenth of a second to load, and memory: only who uses it does.
  const { openEventStoreDb } = await import("@rubrica/event-store/eventstoredb");
  const onConnectionLost = ({ message }: Error) =>
    listeners.warn?.(`The events are not followed for the moment, which is tried again: ${message}`);
  try {
    return openEventStoreDb({ url, clock, random, streamPrefixes, onConnectionLost });
  } catch (error) {
    if (!(error instanceof EventStoreDbError)) throw error;
    throw new ConfigError(`The variable EVENTSTORE_URL can't be used: ${error.message}`);
  }
};
