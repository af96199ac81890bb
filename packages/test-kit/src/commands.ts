import { type BulkCall, createHandlers, type DocumentToAccept, type Handlers } from "@rubrica/commands";
import type { RequestDocument } from "@rubrica/domain";
import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { derivedId, sample, streamName } from "@rubrica/events";
import { type CommandContext, Journal, type JournalEvent } from "@rubrica/journal";
import { testRuntime } from "@rubrica/runtime/testing";
import { createSecrets } from "@rubrica/secrets";
import { type FileStore, type KeyStore, openMemoryFileStore } from "@rubrica/storage";
import { openEmbeddedKeyStore } from "@rubrica/storage/embedded";
import { sampleRequest } from "./bare-request.ts";

export const lineId = "aa".repeat(32);
export const documentIds = { first: derivedId("first"), second: derivedId("second") } as const;
/** The one signer of a document. */
export const signerOfDocument = (documentId: string): string => derivedId("signer", documentId);

/** The commands' stores, in memory, on a clock that stands still. */
export interface World extends AsyncDisposable {
  runtime: ReturnType<typeof testRuntime>;
  journal: Journal;
  keys: KeyStore;
  files: FileStore;
  handlers: Handlers;
  /** The stream's events. */
  eventsOf(kind: Parameters<typeof streamName>[0], id: string): Promise<JournalEvent[]>;
}

/** @param startMs what the clock stands at; milliseconds since the UNIX epoch. */
export const openWorld = (startMs?: number): World => {
  const runtime = testRuntime(1, startMs);
  const { clock, random } = runtime;
  const keys = openEmbeddedKeyStore({
    path: ":memory:",
    secrets: createSecrets({ current: random.bytes(32) }),
    random,
    clock,
  });
  const files = openMemoryFileStore({ keys, random });
  const events = openEmbeddedEventStore({ path: ":memory:", clock, random });
  const journal = new Journal(events, keys, runtime);
  return {
    runtime,
    journal,
    keys,
    files,
    handlers: createHandlers(journal, runtime),
    async eventsOf(kind, id) {
      const found: JournalEvent[] = [];
      for await (const event of journal.read(streamName(kind, id))) found.push(event);
      return found;
    },
    async [Symbol.asyncDispose]() {
      await events.close();
      await files.close();
      await keys.close();
    },
  };
};

/** A document of one signer, who is reached on the one phone that there is. */
export const requestOf = (documentId: string, other: Partial<RequestDocument> = {}): RequestDocument => ({
  ...sampleRequest,
  documentId,
  signers: [
    {
      signerId: signerOfDocument(documentId),
      idCustom: "own-1",
      name: "Ana Paz",
      idNumber: "30123456",
      idNumberCountry: "AR",
      phone: "5491122334455",
      email: null,
      lineId,
      placement: { pages: 1, x: 60, y: 700 },
    },
  ],
  ...other,
});

/** As {@link requestOf}, to be accepted with its PDF; its signers' phones are looked up by what would be their lines. */
export const documentToAccept = (
  documentId: string,
  bytes: Uint8Array,
  { sentBytes = null, ...other }: Partial<RequestDocument> & { sentBytes?: Uint8Array | null } = {},
): DocumentToAccept => {
  const { file: _file, sentFile: _sentFile, ...request } = requestOf(documentId, other);
  const signers = request.signers.map(({ lineId: phoneLookup, ...signer }) => ({
    ...signer,
    phoneLookup: phoneLookup ?? lineId,
  }));
  return { ...request, signers, bytes, sentBytes };
};

/** A row of a bulk call, from 1: each of a signer and a phone of its own. */
export const bulkRowOf = (number: number): BulkCall["rows"][number] => ({
  idCustom: `own-${number}`,
  name: `Signer ${number}`,
  idNumber: String(30_000_000 + number),
  idNumberCountry: "AR",
  phone: `54911${40_000_000 + number}`,
  phoneLookup: String(number).padStart(64, "a"),
  placement: { pages: "all", x: 60, y: 700 },
  variables: { id: number, amount: `$ ${number}` },
});

export const contextOf = (commandId: string): CommandContext => ({
  commandId,
  accountId: sample.accountId,
  actor: "integrator",
  correlationId: commandId,
  causationId: commandId,
});
