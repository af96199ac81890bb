import type { KeyObject } from "node:crypto";
import type { RecordedEvent } from "@rubrica/event-store";
import { EventMetadata, hasItsHash, knownVersionOf, restored, type StreamKind } from "@rubrica/events";
import type { Authentication } from "./authentication.ts";
import type { JournalEvent } from "./event.ts";
import { type Binding, decryptPersonal, type Personal } from "./personal-cipher.ts";
import { boundTo, hashedForm, hasPersonal, mayHavePersonal, placed } from "./stored-event.ts";
import { type UnreadableEvent, unreadable } from "./unreadable.ts";

/** An owner's key: null when there is none (any more), `damaged` when it is there and does not open. */
export type OwnerKey = KeyObject | null | "damaged";

/** What an event is read with. */
export interface ReadWith extends Authentication {
  key: OwnerKey;
}

/** An event as it is read: of the domain, or there and not readable. */
export type ReadEvent = JournalEvent | UnreadableEvent;

/** Whether the event can't be read. */
export const isUnreadable = (event: ReadEvent): event is UnreadableEvent => "reason" in event;

/** Whether the event can be read. */
export const isReadable = (event: ReadEvent): event is JournalEvent => !isUnreadable(event);

/** Why an event can't be read, in words that begin with "it". */
class EventUnreadable extends Error {}

/**
 * Whether the event's own hash holds. If it does, an unknown type or field comes from a newer version of Rubrica, not
 * from damage.
 */
const isIntact = (recorded: RecordedEvent): boolean => {
  const { previousHash } = recorded.metadata;
  return (
    recorded.damage === undefined && typeof previousHash === "string" && hasItsHash(hashedForm(recorded), previousHash)
  );
};

const checkVersion = (recorded: RecordedEvent): EventMetadata => {
  if (recorded.damage !== undefined) throw new EventUnreadable(recorded.damage);
  const metadata = EventMetadata.safeParse(recorded.metadata);
  const known = knownVersionOf(recorded.type);
  // The hash covers the id in the metadata alone, and obligations go by the id it was stored under: they must agree.
  if (metadata.success && metadata.data.eventId !== recorded.id) throw new EventUnreadable("its id is not its own");
  if (metadata.success && known !== undefined && metadata.data.schemaVersion <= known) return metadata.data;
  if (isIntact(recorded)) throw new EventUnreadable("it is of a newer version of Rubrica");
  throw new EventUnreadable(metadata.success ? "its type or version is unknown" : "its metadata is damaged");
};

/** What an event's personal part is bound to. */
const bindingOf = (recorded: RecordedEvent): Binding => ({
  place: `${recorded.stream}/${recorded.id}`,
  event: () => boundTo(hashedForm(recorded)),
});

const personalOf = (recorded: RecordedEvent, key: OwnerKey): Personal | null => {
  if (key === null || !mayHavePersonal(recorded)) return null;
  // Nobody can make one without the key.
  if (!hasPersonal(recorded)) throw new EventUnreadable("its personal part is gone, and its owner's key is there");
  if (key === "damaged") throw new EventUnreadable("its owner's key does not open with the SECRETs that are set");
  const { personal } = recorded.data;
  if (typeof personal !== "string") throw new EventUnreadable("its personal part is damaged");
  try {
    return decryptPersonal(key, bindingOf(recorded), personal);
  } catch (error) {
    throw new EventUnreadable("its personal part does not open with its owner's key", { cause: error });
  }
};

const restoredFrom = (
  recorded: RecordedEvent,
  name: { kind: StreamKind; id: string },
  { key, isAuthentic }: ReadWith,
): JournalEvent => {
  const metadata = checkVersion(recorded);
  const personal = personalOf(recorded, key);
  // A personal part that opens says so of all else of its event.
  if (!personal?.isOfEvent && !isAuthentic(recorded)) throw new EventUnreadable("it is not by this service");
  const content = { data: recorded.data.data as Record<string, unknown>, personal: personal?.content ?? null };
  return {
    ...restored(recorded.type, content, metadata.schemaVersion),
    id: recorded.id,
    stream: recorded.stream,
    streamKind: name.kind,
    streamId: name.id,
    revision: recorded.revision,
    position: recorded.position,
    metadata,
  };
};

/**
 * An event of the domain, from what was stored; one that can't be read says why. Without the owner's key its `personal`
 * is null.
 */
export const fromStored = (recorded: RecordedEvent, given: ReadWith): ReadEvent => {
  const name = placed(recorded.stream);
  try {
    return restoredFrom(recorded, name, given);
  } catch (error) {
    // The failure depends on the event and the key alone: trying again would fail the same way.
    const reason = error instanceof EventUnreadable ? error.message : "its content does not fit its schema";
    return unreadable(recorded, name, reason);
  }
};
