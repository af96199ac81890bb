// The rules: pure deciders and folds for documents, phone lines, accounts and bulk calls, and what each still owes.
// It must not do I/O, nor know a clock, ids or chance: these are arguments.

export * from "./account/index.ts";
export * from "./bulk.ts";
export * from "./consent.ts";
export * from "./decider.ts";
export * from "./delivery.ts";
export * from "./document/index.ts";
export * from "./heads.ts";
export * from "./obligations/index.ts";
export * from "./phone-line.ts";
export * from "./received-notices.ts";
export * from "./request.ts";
export { isAsking } from "./standing/due.ts";
export {
  evolvePhotos,
  type PhotoProgress,
  type Photos,
  photoSetNumber,
  progressOf,
} from "./standing/photo-progress.ts";
export * from "./text.ts";
