import type { UnreadableEvent } from "@rubrica/journal";
import type { Collection, DocumentChange, ReadModelDocument, ReadModelStore } from "./port.ts";

/** A stream that a generation has set aside: from its first event on that could not be read, it passes its events over. */
export type SetAsideRecord = {
  stream: string;
  kind: string;
  /** The first that could not be read. */
  revision: string;
  /** Why, in words that begin with "it"; they name nothing of what is stored. */
  reason: string;
  /** Whose it is and when it was decided, where that could still be told. */
  accountId: string | null;
  at: string | null;
};

/** What is kept of an event that can't be read. */
export const setAsideRecord = (event: UnreadableEvent): SetAsideRecord => ({
  stream: event.stream,
  kind: event.streamKind,
  revision: event.revision.toString(),
  reason: event.reason,
  accountId: event.accountId,
  at: event.at,
});

/** Within a collection: no field of it is one that the collection's own documents are found by. */
type SetAsideDocument = { setAside: SetAsideRecord };

/** There once any stream is set aside, so that a generation that is whole is asked once. */
export const ANY_SET_ASIDE_ID = "$set-aside";
/** Under which a generation keeps that it has set the stream aside. */
export const setAsideIdOf = (stream: string): string => `${ANY_SET_ASIDE_ID}/${stream}`;

/** That the collection's live generation has set the stream aside: what its documents say of it is not all. */
export const setAsideIn = async (
  readModels: Pick<ReadModelStore, "get">,
  collection: Collection,
  stream: string,
): Promise<SetAsideRecord | undefined> =>
  (await readModels.get(collection as unknown as Collection<SetAsideDocument>, setAsideIdOf(stream)))?.document
    .setAside;

/** What a generation keeps of the event at which it sets a stream aside. */
export const setAsideChanges = (event: UnreadableEvent): DocumentChange[] => {
  const { position } = event;
  const change = (id: string, document: ReadModelDocument) => ({ id, position, document });
  const document: SetAsideDocument = { setAside: setAsideRecord(event) };
  return [change(ANY_SET_ASIDE_ID, {}), change(setAsideIdOf(event.stream), document)];
};
