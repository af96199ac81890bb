export type { JournalEvent, Recorded } from "./event.ts";
export { Journal, type JournalBatch } from "./journal.ts";
export { type CommandContext, hashedForm, ownerOf, type StreamEnd } from "./stored-event.ts";
