import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { type DocumentEvent, derivedId, sample, streamName } from "@rubrica/events";
import { createImages, type Images } from "@rubrica/images";
import { Journal, type JournalEvent } from "@rubrica/journal";
import { createPdfEngine, loadOrCreateSigningIdentity, type PdfEngine, type SigningIdentity } from "@rubrica/pdf";
import { createReports, type Reports } from "@rubrica/report";
import { type Clock, systemClock, systemRuntime } from "@rubrica/runtime";
import { createSecrets } from "@rubrica/secrets";
import { type FileStore, type KeyStore, type KnownLog, openMemoryFileStore } from "@rubrica/storage";
import { openEmbeddedKeyStore } from "@rubrica/storage/embedded";
import { temporaryFolder } from "@rubrica/test-kit";
import { streamEndIn } from "../stream-end.ts";

const START = Date.UTC(2026, 10, 21, 15, 4, 5, 120);
const SECOND = 1_000;

/** Everything that reports are made of, in memory; each event is some seconds after the one before. */
export interface World extends AsyncDisposable {
  clock: Clock;
  keys: KeyStore;
  /** What is known of the log, as the keys' store has it. */
  known: KnownLog;
  files: FileStore;
  journal: Journal;
  pdf: PdfEngine;
  identity: SigningIdentity;
  images: Images;
  reports: Reports;
  /** Appends to the document's stream. */
  append(documentId: string, events: readonly DocumentEvent[], actor: string): Promise<JournalEvent[]>;
}

export const openWorld = async (): Promise<World> => {
  const folder = temporaryFolder();
  const system = systemRuntime();
  let nowMs = START;
  const clock: Clock = { ...systemClock, now: () => nowMs };
  const runtime = { ...system, clock };
  const { random } = runtime;
  const secrets = createSecrets({ current: random.bytes(32) });
  const keys = openEmbeddedKeyStore({ path: ":memory:", secrets, random, clock });
  const files = openMemoryFileStore({ keys, random });
  const events = openEmbeddedEventStore({ path: ":memory:", clock, random });
  const journal = new Journal(events, keys, runtime);
  const pdf = createPdfEngine({ clock: systemClock });
  const publicUrl = "https://sign.example";
  const identity = await loadOrCreateSigningIdentity(folder.path, publicUrl, clock, random);
  const images = createImages({ clock: systemClock });
  const reports = createReports({ journal, known: keys.log, files, images, identity, clock, publicUrl });
  let commands = 0;
  return {
    clock,
    keys,
    known: keys.log,
    files,
    journal,
    pdf,
    identity,
    images,
    reports,
    async append(documentId, some, actor) {
      nowMs += 7 * SECOND + 311;
      const stream = streamName("document", documentId);
      const end = await streamEndIn(events, stream);
      const commandId = derivedId("command", documentId, String(commands++));
      const context = { commandId, accountId: sample.accountId, actor, correlationId: "c", causationId: "c" };
      return journal.append(stream, end, some, context);
    },
    async [Symbol.asyncDispose]() {
      await reports.close();
      await images.close();
      await pdf.close();
      await events.close();
      await files.close();
      await keys.close();
      folder[Symbol.dispose]();
    },
  };
};
