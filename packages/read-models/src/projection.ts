import type { Position } from "@rubrica/event-store";
import type { JournalEvent, UnreadableEvent } from "@rubrica/journal";
import type { Rows } from "./analytics/field.ts";
import type { Collection, ReadModelDocument } from "./port.ts";

/**
 * How events become the documents of one collection. Pure: it takes its time from the events, never from a clock.
 * Its version is raised with every change of what it makes of the same events.
 */
export interface Projection<
  Document extends ReadModelDocument = ReadModelDocument,
  Event extends { position: Position } = JournalEvent,
> extends Collection<Document> {
  /** Ids of the documents that an event touches; a touched document's position rises even when nothing else changes, unless {@link sparse}. */
  keysOf(event: Event): readonly string[];
  /**
   * Whether a document that an event leaves as it is, the same object, is not written: then its position stays. For what
   * nearly every event touches and few change; an event that is applied again must leave it so again.
   */
  readonly sparse?: true;
  /**
   * Whether a document follows from its last event alone, is never null, and has neither parts nor rows: the one before
   * is not loaded.
   */
  readonly fromLastEvent?: true;
  /** Whether its events are gathered for half a second before they are projected: nobody waits for them, and many are one write. */
  readonly gathered?: true;
  /** The document after one more event; null: there is none. Never changes the document that it is given. */
  project(document: Document | null, event: Event, id: string): Document | null;
  /** The records of their own that follow from a document, to be found by the indexes. Their ids are no document's. */
  partsOf?(document: Document): readonly { id: string; document: ReadModelDocument }[];
  /** The rows that follow from a document, in each of the collection's tables. */
  rowsOf?(document: Document): Rows;
  /**
   * What becomes of documents when a stream is set aside, for the first of its events that can't be read: those after it
   * are passed over. Left out: they stay as they are.
   */
  readonly setAside?: {
    keysOf(event: UnreadableEvent): readonly string[];
    project(document: Document | null, event: UnreadableEvent, id: string): Document | null;
  };
}
