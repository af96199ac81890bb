export type { JournalEvent, Recorded } from "./event.ts";
