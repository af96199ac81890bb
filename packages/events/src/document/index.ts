import type { EventOf } from "../define.ts";
import { correctionEvents } from "./correcting.ts";
import { erasureEvents } from "./erasure.ts";
import { expiryEvents } from "./expiry.ts";
import { messageEvents } from "./messages.ts";
import { photoEvents } from "./photos.ts";
import { documentRequestEvents } from "./request.ts";
import { signatureEvents } from "./signatures.ts";
import { turnEvents } from "./turns.ts";

export * from "./correcting.ts";
export * from "./erasure.ts";
export * from "./expiry.ts";
export * from "./messages.ts";
export * from "./photos.ts";
export * from "./request.ts";
export * from "./signatures.ts";
export * from "./turns.ts";

/** Every event of a document's stream, each listed by its own file. */
export const documentEvents = [
  ...documentRequestEvents,
  ...expiryEvents,
  ...turnEvents,
  ...correctionEvents,
  ...messageEvents,
  ...photoEvents,
  ...signatureEvents,
  ...erasureEvents,
] as const;

export type DocumentEvent = EventOf<(typeof documentEvents)[number]>;

/** A document event of a stored name. */
export type DocumentEventOf<Type extends DocumentEvent["type"]> = Extract<DocumentEvent, { type: Type }>;
