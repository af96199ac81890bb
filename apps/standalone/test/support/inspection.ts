import { configFrom } from "@rubrica/config";
import { documentFold, type Obligation, type PhoneLine, phoneLineFold, type RequestedDocument } from "@rubrica/domain";
import { type Engines, openEngines } from "@rubrica/engines";
import type { RecordedEvent } from "@rubrica/event-store";
import type { DocumentEvent, PhoneLineEvent } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";
import { OBLIGATIONS_DUE_FIELD, type ObligationsDocument, obligations } from "@rubrica/read-models";
import { systemRuntime } from "@rubrica/runtime";

/** Later than any obligation is due. */
const END_OF_TIME = "9999";
const MAX_RECORDS = 10_000;

/** What the stores of a data folder hold, read beside the service that runs on it. */
export interface Inspection extends AsyncDisposable {
  engines: Engines;
  /** Every event of all streams, in order. */
  events(): Promise<JournalEvent[]>;
  documents(): Promise<RequestedDocument[]>;
  /** The lines of phones, by the id of their stream. */
  lines(): Promise<Map<string, PhoneLine>>;
  /** What is open of each document, by the read model. */
  openObligations(): Promise<Obligation[]>;
}

export const inspect = async (dataDir: string): Promise<Inspection> => {
  const engines = await openEngines(configFrom({ DATA_DIR: dataDir }), systemRuntime());
  const events = async () => {
    const recorded: RecordedEvent[] = [];
    for await (const event of engines.events.readAll()) recorded.push(event);
    return engines.journal.restore(recorded);
  };
  return {
    engines,
    events,
    async documents() {
      const documents = new Map<string, RequestedDocument>();
      for (const event of await events()) {
        if (event.streamKind !== "document") continue;
        const before = documents.get(event.streamId) ?? documentFold.initial;
        const after = documentFold.evolve(before, event as JournalEvent & DocumentEvent);
        if (after.status !== "none") documents.set(event.streamId, after);
      }
      return [...documents.values()];
    },
    async lines() {
      const lines = new Map<string, PhoneLine>();
      for (const event of await events()) {
        if (event.streamKind !== "phoneLine") continue;
        const before = lines.get(event.streamId) ?? phoneLineFold.initial;
        lines.set(event.streamId, phoneLineFold.evolve(before, event as JournalEvent & PhoneLineEvent));
      }
      return lines;
    },
    async openObligations() {
      const { readModels } = engines;
      const records = await readModels.findUpTo<ObligationsDocument>(
        obligations.name,
        OBLIGATIONS_DUE_FIELD,
        END_OF_TIME,
        MAX_RECORDS,
      );
      return records.flatMap(({ document }) => document.open);
    },
    [Symbol.asyncDispose]: () => engines.close(),
  };
};
