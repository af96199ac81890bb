import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RecordedEvent } from "@rubrica/event-store";
import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { type DomainEvent, definitionOf, derivedId, sample, streamName } from "@rubrica/events";
import { type CommandContext, Journal } from "@rubrica/journal";
import { openEmbeddedReadModelStore, type ReadModelStore } from "@rubrica/read-models";
import { testRuntime } from "@rubrica/runtime/testing";
import { createSecrets } from "@rubrica/secrets";
import { openMemoryFileStore } from "@rubrica/storage";
import { openEmbeddedKeyStore } from "@rubrica/storage/embedded";
import { streamEndIn } from "@rubrica/test-kit/stream-end";
import type { Contents, Migration } from "../../src/migration/migrate.ts";

const runtime = testRuntime();
const secrets = createSecrets({ current: Buffer.alloc(32, "s") });

/** Engines of one side, with the SECRET that both have. The events lie in a file, so that a test can spoil one. */
export interface Side extends Contents, AsyncDisposable {
  readModels: ReadModelStore;
  journal: Journal;
  eventsPath: string;
}

export const openSide = ({ inMemory = false } = {}): Side => {
  const folder = mkdtempSync(join(tmpdir(), "rubrica-migration-"));
  const eventsPath = join(folder, "events.sqlite");
  const keys = openEmbeddedKeyStore({ path: ":memory:", secrets, ...runtime });
  const files = openMemoryFileStore({ keys, random: runtime.random });
  const events = openEmbeddedEventStore({ path: inMemory ? ":memory:" : eventsPath, ...runtime });
  const readModels = openEmbeddedReadModelStore({ path: ":memory:" });
  return {
    keys,
    files,
    events,
    readModels,
    eventsPath,
    journal: new Journal(events, keys, runtime),
    async [Symbol.asyncDispose]() {
      await events.close();
      await readModels.close();
      await files.close();
      await keys.close();
      await rm(folder, { recursive: true });
    },
  };
};

const contextOf = (commandId: string): CommandContext => ({
  commandId,
  accountId: sample.accountId,
  actor: "integrator",
  correlationId: commandId,
  causationId: commandId,
});

const example = (type: DomainEvent["type"]): DomainEvent => ({ type, ...definitionOf(type).example }) as DomainEvent;

export const documentOf = (number: number): string => derivedId("document", String(number));
export const fileOf = (number: number): Buffer => Buffer.alloc(100 + number * 37, `file ${number} `);

/** Appends to a document's stream, wherever it ends. */
export const appendTo = async ({ journal, events }: Side, documentId: string, types: DomainEvent["type"][]) => {
  const stream = streamName("document", documentId);
  const end = await streamEndIn(events, stream);
  const command = `${documentId} ${end?.revision}`;
  await journal.append(stream, end, types.map(example), contextOf(command));
};

/** Documents from one number on, their events mixed, each with a file. */
export const write = async (side: Side, numbers: readonly number[]): Promise<void> => {
  for (const number of numbers) {
    await side.files.put(documentOf(number), fileOf(number), "application/pdf");
    await appendTo(side, documentOf(number), ["DocumentRequested"]);
  }
  for (const number of numbers) await appendTo(side, documentOf(number), ["Rejected", "ReportGenerated"]);
};

/** Erases a document, or, cut, only says that it is. */
export const erase = async (side: Side, number: number, { cut = false } = {}): Promise<void> => {
  await appendTo(side, documentOf(number), ["DocumentErased"]);
  if (cut) return;
  await side.keys.destroy(documentOf(number));
  await side.files.removeAll(documentOf(number));
};

export const collect = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
};

/** All that a side holds, without what is the engines' own. */
export const contentsOf = async ({ keys, files, events }: Contents) => ({
  keys: (await collect(keys.rows())).map(({ owner, wrapped }) => [owner, wrapped && Buffer.from(wrapped)]),
  files: await Promise.all(
    (await collect(files.encryptedNames())).map(async (name) => [name, await files.getEncrypted(name)]),
  ),
  events: (await collect(events.readAll())).map(({ position: _, ...event }: RecordedEvent) => event),
});

export const migrationOf = (from: Contents, to: Migration["to"], tell: Migration["tell"] = () => {}): Migration => ({
  from,
  to,
  collections: [{ name: "documents", version: 1, indexes: [] }],
  tell,
});
