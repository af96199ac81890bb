import {
  adoptFormerLines,
  carryOutErasures,
  createErasureWatch,
  type ErasureWatch,
  type Handlers,
  takeOffNeverRequested,
} from "@rubrica/commands";
import type { EventStore } from "@rubrica/event-store";
import type { Runtime } from "@rubrica/runtime";
import type { FileStore, KeyStore } from "@rubrica/storage";

/** How often it is noted up to where erasures were carried out: so much of the log the next start looks through. */
const NOTE_INTERVAL_MS = 60 * 60 * 1000;
/** How long ago a line was given at most to be looked at, for whether its document was ever requested: once, and each hour. */
const LOOKED_AT_FIRST_MS = 7 * 24 * NOTE_INTERVAL_MS;
const LOOKED_AT_EACH_HOUR_MS = 3 * NOTE_INTERVAL_MS;

export interface Erasures extends Pick<ErasureWatch, "isFresh" | "onErased"> {
  close(): Promise<void>;
}

/**
 * Has this process forget what is erased. What came back with a backup is gone again before it resolves; what is erased
 * from then on, by whichever process, is let go of within a second.
 * @throws when a key can't be destroyed or a file not removed that should be gone.
 */
export const openErasures = async ({
  events,
  keys,
  files,
  handlers,
  runtime,
  warn,
}: {
  events: EventStore;
  keys: KeyStore;
  files: FileStore;
  handlers: Handlers;
  runtime: Pick<Runtime, "clock" | "random">;
  warn: (sentence: string) => void;
}): Promise<Erasures> => {
  const { clock } = runtime;
  const stores = { events, keys, files };
  await carryOutErasures(stores);
  await adoptFormerLines(events, keys);
  const onError = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    warn(`What was erased can't be looked for (it is tried again): ${reason}`);
  };
  const watch = createErasureWatch({ events, clock, after: await events.lastPosition(), onError });
  watch.onErased((documentId) => {
    keys.evict(documentId);
    handlers.documents.evict(documentId);
  });
  const closing = new AbortController();
  const { signal } = closing;
  const keepNote = async (): Promise<void> => {
    for (let withinMs = LOOKED_AT_FIRST_MS; ; withinMs = LOOKED_AT_EACH_HOUR_MS) {
      await clock.wait(NOTE_INTERVAL_MS, { signal, background: true });
      if (signal.aborted) return;
      await carryOutErasures(stores).catch(onError);
      await takeOffNeverRequested({ events, keys, runtime }, withinMs, signal).catch(onError);
    }
  };
  const background = Promise.all([watch.run(signal), keepNote()]);
  return {
    isFresh: () => watch.isFresh(),
    onErased: (evict) => watch.onErased(evict),
    async close() {
      closing.abort();
      await background;
    },
  };
};
