import { configFrom } from "@rubrica/config";
import { documentFold, type Obligation, type PhoneLine, phoneLineFold, type RequestedDocument } from "@rubrica/domain";
import type { RecordedEvent } from "@rubrica/event-store";
import type { DocumentEvent, PhoneLineEvent } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";
import type { Stores } from "@rubrica/open-engines";
import { openStores } from "@rubrica/open-engines/stores";
import { LAST, type OpenObligationRecord, OWED_FIELD, obligations } from "@rubrica/read-models";
import { systemRuntime } from "@rubrica/runtime";

const MAX_RECORDS = 10_000;

/** What the stores hold, read beside the service that runs on them. */
export interface Inspection extends AsyncDisposable {
  engines: Stores;
  /** Every event of all streams, in order. */
  events(): Promise<JournalEvent[]>;
  documents(): Promise<RequestedDocument[]>;
  /** The lines of phones, by the id of their stream. */
  lines(): Promise<Map<string, PhoneLine>>;
  /** What is open of each document, by the read model. */
  openObligations(ofDocument?: (documentId: string) => boolean): Promise<Obligation[]>;
}

/** @param where a data folder, or the variables that name the engines. */
export const inspect = async (where: string | Readonly<Record<string, string>>): Promise<Inspection> => {
  const environment = typeof where === "string" ? { DATA_DIR: where } : where;
  const engines = await openStores(configFrom(environment), systemRuntime());
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
    async openObligations(ofDocument = () => true) {
      const { readModels } = engines;
      const range = { upTo: LAST, limit: MAX_RECORDS };
      const records = await readModels.findRange<OpenObligationRecord>(obligations, OWED_FIELD, range);
      return records.flatMap(({ document }) =>
        "documentId" in document && !ofDocument(document.documentId) ? [] : [document.obligation],
      );
    },
    [Symbol.asyncDispose]: () => engines.close(),
  };
};
