export type { JournalEvent, Recorded } from "./event.ts";
export { isUnreadable, type ReadEvent } from "./from-stored.ts";
export { Journal, type JournalBatch } from "./journal.ts";
export { type CommandContext, hashedForm, ownerOf, type StreamEnd } from "./stored-event.ts";
export { type UnreadableEvent, UnreadableStreamError } from "./unreadable.ts";
