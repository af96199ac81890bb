import type { Position } from "@rubrica/event-store";
import type { DomainEvent, EventMetadata, StreamKind } from "@rubrica/events";

/** Where and when an event was stored, and by whom it was caused. */
export interface Recorded {
  id: string;
  stream: string;
  streamKind: StreamKind;
  /** The id within the stream's name: the document's, the account's … */
  streamId: string;
  revision: bigint;
  position: Position;
  metadata: EventMetadata;
}

/** An event of the domain as it was recorded: decrypted where its key still is, upcast and checked. */
export type JournalEvent<E extends DomainEvent = DomainEvent> = E & Recorded;
