import { systemClock, systemRandom } from "@rubrica/runtime";
import { type EventStoreDbOptions, openEventStoreDb } from "../../src/eventstoredb/store.ts";
import type { EventStore } from "../../src/index.ts";

export const openEventStoreDbAt = (url: string, options: Partial<EventStoreDbOptions> = {}): EventStore =>
  openEventStoreDb({ url, clock: systemClock, random: systemRandom, streamPrefixes: [], ...options });
