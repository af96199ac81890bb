import type { EventStore, RecordedEvent } from "@rubrica/event-store";
import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { type DomainEvent, definitionOf, findBrokenLink, sample, streamName } from "@rubrica/events";
import { testRuntime } from "@rubrica/runtime/testing";
import { createSecrets } from "@rubrica/secrets";
import type { KeyStore } from "@rubrica/storage";
import { openEmbeddedKeyStore } from "@rubrica/storage/embedded";
import { type CommandContext, Journal, type JournalEvent, type StreamEnd } from "../src/index.ts";

export const stream = streamName("document", sample.documentId);
export const otherStream = streamName("document", sample.otherDocumentId);

/** A journal on stores in memory, on a clock that stands still. */
export interface World extends AsyncDisposable {
  runtime: ReturnType<typeof testRuntime>;
  store: EventStore;
  keys: KeyStore;
  journal: Journal;
  read(name?: string): Promise<JournalEvent[]>;
  stored(name?: string): Promise<RecordedEvent[]>;
}

const all = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
};

export const openWorld = (): World => {
  const runtime = testRuntime();
  const secrets = createSecrets({ current: runtime.random.bytes(32) });
  const keys = openEmbeddedKeyStore({ path: ":memory:", secrets, ...runtime });
  const store = openEmbeddedEventStore({ path: ":memory:", ...runtime });
  const journal = new Journal(store, keys, runtime);
  return {
    runtime,
    store,
    keys,
    journal,
    read: (name = stream) => all(journal.read(name)),
    stored: (name = stream) => all(store.readStream(name)),
    async [Symbol.asyncDispose]() {
      await store.close();
      await keys.close();
    },
  };
};

/** The catalogue's example of an event. */
export const example = (type: DomainEvent["type"]): DomainEvent =>
  ({ type, ...definitionOf(type).example }) as DomainEvent;

export const contextOf = (commandId: string): CommandContext => ({
  commandId,
  accountId: sample.accountId,
  actor: "integrator",
  correlationId: "correlation",
  causationId: "causation",
});

/** Where a stream ends after these events. */
export const endOf = (events: readonly JournalEvent[]): StreamEnd | undefined => {
  const last = events.at(-1);
  return last && { revision: last.revision, at: last.metadata.at, hash: last.metadata.hash };
};

/** The first broken link of the chain of events as they are stored. */
export const brokenLinkOf = (stored: readonly RecordedEvent[]): { revision: bigint } | undefined =>
  findBrokenLink(
    stored.map(({ stream, revision, type, data: { data, personal }, metadata }) => ({
      stream,
      revision,
      type,
      data,
      personal: personal as string | null,
      metadata,
    })),
  );
