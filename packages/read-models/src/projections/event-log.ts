import type { Authentication } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";
import { arrivalOf, type LogEntry, logEntryOf } from "../log-entries.ts";
import type { Projection } from "../projection.ts";
import { type CorrectedSigner, withCorrection } from "./corrected-signers.ts";

/** A document's log, in the order of its stream, which is that of time. Its id is the document's. */
export type EventLogRecord = {
  documentId: string;
  accountId: string;
  createdAt: string;
  authentication: Authentication;
  /** In the order of the request. */
  signerIds: string[];
  /** Whether its people were erased. */
  erased: boolean;
  corrections: CorrectedSigner[];
  entries: LogEntry[];
  /** Messages (by the provider's id) that are known to have reached their phone. */
  reached: string[];
  /** The stream's revision that the log has come to. */
  revision: string;
};

type Requested = Extract<JournalEvent, { type: "DocumentRequested" }>;

const requested = ({ data, metadata, revision }: Requested): EventLogRecord => ({
  documentId: data.documentId,
  accountId: metadata.accountId,
  createdAt: metadata.at,
  authentication: data.authentication,
  signerIds: data.signers.map(({ signerId }) => signerId),
  erased: false,
  corrections: [],
  entries: [],
  reached: [],
  revision: revision.toString(),
});

const evolve = (log: EventLogRecord, event: JournalEvent): EventLogRecord => {
  if (event.revision <= BigInt(log.revision)) return log;
  const revision = event.revision.toString();
  if (event.type === "DocumentErased") return { ...log, revision, erased: true };
  const corrections = event.type === "SignerCorrected" ? withCorrection(log.corrections, event) : log.corrections;
  const told = logEntryOf(log.signerIds[0], event);
  if (!told) return { ...log, revision };
  const entry = corrections.length === 0 ? told : { ...told, corrections: corrections.length };
  const arrival = arrivalOf(event);
  if (arrival === undefined) return { ...log, revision, corrections, entries: [...log.entries, entry] };
  if (log.reached.includes(arrival)) return { ...log, revision };
  return { ...log, revision, entries: [...log.entries, entry], reached: [...log.reached, arrival] };
};

/** What happened to each document, as integrators read it. */
export const eventLog: Projection<EventLogRecord> = {
  name: "event-log",
  version: 5,
  indexes: [],
  keysOf: (event) => (event.streamKind === "document" ? [event.streamId] : []),
  project: (log, event) => {
    if (event.type === "DocumentRequested") return log ?? requested(event);
    return log && evolve(log, event);
  },
};
