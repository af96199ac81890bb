// The event log as the domain sees it: typed events, whose personal parts are encrypted, chained by hashes.
// It must not know what an event leads to.

export { EventAuthentication, prepareAuthentication } from "./authentication.ts";
export type { JournalEvent, Recorded } from "./event.ts";
export { isUnreadable, type ReadEvent } from "./from-stored.ts";
export { Journal, type JournalBatch } from "./journal.ts";
export { type CommandContext, hashedForm, ownerOf, type StreamEnd } from "./stored-event.ts";
export { type UnreadableEvent, UnreadableStreamError } from "./unreadable.ts";
