import type { Document } from "@rubrica/domain";
import type { EventStore } from "@rubrica/event-store";
import { streamName } from "@rubrica/events";
import { pacer, type Runtime } from "@rubrica/runtime";
import type { FoundLine, KeyStore } from "@rubrica/storage";
import { documentIfReadable, type Handlers } from "./handlers.ts";

/** Where it is kept which phone's line is which, and what says who may be on one. */
export interface LineStores {
  handlers: Pick<Handlers, "documents" | "lines">;
  keys: Pick<KeyStore, "lines">;
  runtime: Pick<Runtime, "clock" | "random">;
}

const LINE_ID_BYTES = 32;
/** Whoever was given a line and is not requested so long after is not going to be: each attempt asks for it anew. */
const LONGEST_REQUEST_MS = 60 * 60 * 1000;
/** Rows that are looked at in one iteration of the event loop: each is a look at a stream. */
const ROWS_AT_ONCE = 20;
/** Documents that are taken off the line at once, where they ended: each is loaded. */
const MOST_TAKEN = 8;

/**
 * Gives a document the line on which it waits for its signer's phone.
 *
 * The id is random, and stands beside the keys alone under what it is looked up by: once the last document that has it is
 * erased, nothing leads from the log to the phone. As soon as every document that has it has ended, the phone's next one
 * gets another, so that documents are tied to each other only where one might wait for the other.
 * @param lookup what the account's phone is looked up by, made of SECRET
 * @throws {KeyDestroyedError} when the document was forgotten already.
 */
export const giveLine = async (stores: LineStores, lookup: string, documentId: string): Promise<string> => {
  const {
    keys: { lines },
    runtime: { random },
  } = stores;
  const found = await lineInUse(stores, lookup, documentId);
  const otherwise = found?.line ?? (await formerLine(stores, lookup)) ?? random.bytes(LINE_ID_BYTES).toString("hex");
  return lines.give(lookup, documentId, otherwise);
};

/**
 * Takes a document off its lines, and others that need them no more: a line that nobody has is forgotten. To be called
 * before its key is destroyed, which wipes what was taken from the disk. Safe to repeat.
 */
export const takeOffLines = async (stores: LineStores, documentId: string): Promise<void> => {
  const { lines } = stores.keys;
  for (const lookup of await lines.lookupsOf(documentId)) {
    await lines.take(lookup, documentId);
    await lineInUse(stores, lookup, documentId);
  }
};

/**
 * Takes those off their lines who were given one within a time and never requested: what was cut in between leaves them,
 * and the phone's next document may never come. Safe to repeat, and to break off.
 * @param withinMs how long ago they were given it at most
 */
export const takeOffNeverRequested = async (
  {
    events,
    keys: { lines },
    runtime: { clock },
  }: Omit<LineStores, "handlers"> & { events: Pick<EventStore, "streamEnd"> },
  withinMs: number,
  signal: AbortSignal,
): Promise<void> => {
  const pace = pacer(ROWS_AT_ONCE);
  const now = clock.now();
  for await (const { lookup, owner, sinceMs } of lines.rows()) {
    if (signal.aborted) return;
    if (now - sinceMs < LONGEST_REQUEST_MS || now - sinceMs > withinMs) continue;
    await pace(1);
    if (!(await events.streamEnd(streamName("document", owner)))) await lines.take(lookup, owner, sinceMs);
  }
};

/** The line by that name, after documents that need it no more were taken off it; undefined when nobody has it. */
const lineInUse = async (stores: LineStores, lookup: string, documentId: string): Promise<FoundLine | undefined> => {
  const { lines } = stores.keys;
  for (let taken = 0; ; taken++) {
    const found = await lines.find(lookup);
    if (!found || taken === MOST_TAKEN || found.owner === documentId || (await mayNeed(stores, found))) return found;
    await lines.take(lookup, found.owner, found.sinceMs);
  }
};

const mayNeed = async ({ handlers, runtime }: LineStores, { owner, sinceMs }: FoundLine): Promise<boolean> => {
  const document = await documentIfReadable(handlers, owner);
  // Of what can't be read nobody knows that it ended.
  if (!document) return true;
  if (document.status === "none") return runtime.clock.now() - sinceMs < LONGEST_REQUEST_MS;
  return !hasEnded(document);
};

const hasEnded = (document: Document): boolean => {
  const { status } = document;
  // What the time alone says may look otherwise on another machine's clock.
  if (status === "withdrawn") return document.takenBack.isRecorded;
  return status === "completed" || status === "rejected" || status === "failed";
};

/** Before December 2026 what a line is looked up by was its id: documents of then may still be on it. */
const formerLine = async ({ handlers }: LineStores, lookup: string): Promise<string | undefined> => {
  const { holder, queue } = await handlers.lines.load(lookup);
  return holder || queue.length > 0 ? lookup : undefined;
};
