import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@rubrica/runtime";
import { type EmbeddedEventStoreOptions, openEmbeddedEventStore } from "../../src/embedded/store.ts";
import type { EventStore } from "../../src/index.ts";

/** A folder of its own for one test. */
export const temporaryFolder = (): { path: string; remove: () => void } => {
  const path = mkdtempSync(join(tmpdir(), "event-store-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
};

export const openAt = (
  path: string,
  streamPrefixes: readonly string[] = [],
  options: Partial<EmbeddedEventStoreOptions> = {},
): EventStore => openEmbeddedEventStore({ path, clock: systemClock, streamPrefixes, ...options });
