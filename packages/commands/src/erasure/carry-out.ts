import { comparePositions, type EventStore, formatPosition, type Position, parsePosition } from "@rubrica/event-store";
import { DocumentErased } from "@rubrica/events";
import { ownerOf } from "@rubrica/journal";
import type { FileStore, KeyStore } from "@rubrica/storage";

/** What erasures are carried out on, and up to where they were. */
type Erasable = Pick<KeyStore, "erasuresDone" | "noteErasuresDone">;

/**
 * Destroys the keys and removes the files of all documents that the event log says are erased: those of a process that
 * died in between, and those that came back with a backup. Keys and files each say up to where that was done, and a
 * backup of them says it as it was then: no more of the log is read than what came after. Safe to repeat.
 */
export const carryOutErasures = async ({
  events,
  keys,
  files,
}: {
  events: Pick<EventStore, "lastPosition" | "readAll">;
  keys: Erasable & Pick<KeyStore, "destroy">;
  files: Erasable & Pick<FileStore, "removeAll">;
}): Promise<void> => {
  const last = await events.lastPosition();
  if (!last) return;
  await carryOut(events, last, keys, (documentId) => keys.destroy(documentId));
  await carryOut(events, last, files, (documentId) => files.removeAll(documentId));
};

const carryOut = async (
  events: Pick<EventStore, "readAll">,
  last: Position,
  store: Erasable,
  erase: (documentId: string) => Promise<void>,
): Promise<void> => {
  const done = readNote(await store.erasuresDone());
  // The log ends before that place: it was restored from a backup, and its positions mean other events now.
  const after = done && comparePositions(done, last) <= 0 ? done : undefined;
  if (after && comparePositions(after, last) === 0) return;
  for await (const { stream } of events.readAll(after, { type: DocumentErased.type })) await erase(ownerOf(stream));
  await store.noteErasuresDone(formatPosition(last));
};

const readNote = (note: string | undefined): Position | undefined => {
  try {
    return note === undefined ? undefined : parsePosition(note);
  } catch {
    // What can't be read says nothing: all erasures are carried out once more.
    return undefined;
  }
};
