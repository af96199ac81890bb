import type { Position } from "@rubrica/event-store";
import type { JournalEvent } from "@rubrica/journal";
import type { IndexDefinition, ReadModelDocument } from "./port.ts";

/** How events become the documents of one collection. Pure: it takes its time from the events, never from a clock. */
export interface Projection<
  Document extends ReadModelDocument = ReadModelDocument,
  Event extends { position: Position } = JournalEvent,
> {
  /** The collection's name. */
  readonly name: string;
  readonly indexes: readonly IndexDefinition[];
  /** Ids of the documents that an event touches; a touched document's position rises even when nothing else changes. */
  keysOf(event: Event): readonly string[];
  /** The document after one more event; null: there is none. Never changes the document that it is given. */
  project(document: Document | null, event: Event, id: string): Document | null;
}
