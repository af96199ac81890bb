import {
  acceptBulk as acceptBulkOnce,
  DomainError,
  recordRowsForgotten,
  refuseBulk,
  requestBulk,
  requestDocument,
  spendCredits,
} from "@rubrica/domain";
import type { CommandContext } from "@rubrica/journal";
import { inSlices, jsonPieces, readOwnJson } from "@rubrica/json";
import { type Runtime, yieldToOthers } from "@rubrica/runtime";
import { type FileStore, KeyDestroyedError, type KeyStore } from "@rubrica/storage";
import { type BulkCall, type BulkRow, bulkDocumentId, phoneLookupOf, rowRequest } from "./bulk-rows.ts";
import { forEach } from "./each.ts";
import { type Handlers, stepOf } from "./handlers.ts";
import { giveLine } from "./phone-lines.ts";

const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/** Rows whose documents are requested at a time: they share commits, and few are in memory. */
const ROWS_AT_A_TIME = 32;
/** Most characters of the rows of one batch, as JSON; a single row may have several times as many. */
const BATCH_LENGTH = 65_536;
/** A batch of this length as JSON, or more, holds up other requests: a pause follows it. */
const HEAVY_LENGTH = 32_768;
/** How long that pause is, in multiples of the time that the batch took. */
const PAUSE = 3;

/**
 * A call as it is kept. The event of the call has the file's hash for good: by the salt, which goes with the file's key,
 * nobody can test names and phones against it.
 */
type KeptCall = BulkCall & {
  /** Hex; missing in calls that were kept by an earlier release. */
  salt?: string;
};
const SALT_BYTES = 32;

/** Where a bulk call is kept, and what its commands go through. */
export interface BulkStores {
  handlers: Handlers;
  files: FileStore;
  keys: KeyStore;
  runtime: Pick<Runtime, "clock" | "random">;
}

/** A bulk call that passed every check. */
export interface BulkToAccept {
  bulkId: string;
  /** The DOCX. */
  template: Uint8Array;
  call: BulkCall;
}

/** `refused`: there were too few credits; nothing of the call is sent, nothing was spent. */
export type BulkOutcome = "accepted" | "refused";

/**
 * Accepts a bulk call: template and rows durable, then BulkRequested, then all that {@link continueBulk} does. Wherever
 * it is cut after BulkRequested, the obligation to continue remains. Doing it again with the call's id finishes what was
 * cut; what was asked for the first time stands.
 */
export const acceptBulk = async (
  stores: BulkStores,
  { bulkId, template, call }: BulkToAccept,
  context: CommandContext,
): Promise<BulkOutcome> => {
  const { handlers, files, runtime } = stores;
  const kept = { ...call, salt: runtime.random.bytes(SALT_BYTES).toString("hex") } satisfies KeptCall;
  const command = {
    bulkId,
    template: await files.put(bulkId, template, DOCX),
    rows: await files.put(bulkId, await bytesOf(kept), "application/json"),
    rowCount: call.rows.length,
  };
  await handlers.bulks.handle(bulkId, requestBulk, command, stepOf(context, "request"));
  return continueBulk(stores, bulkId, context);
};

/**
 * Goes on with a bulk call that was requested: its credits, once and for all rows; each row's document; BulkAccepted.
 * With too few credits BulkRefused instead, and its template and rows are forgotten. Safe to repeat and to cut anywhere.
 * @throws {DomainError} unknown_bulk
 */
export const continueBulk = async (
  stores: BulkStores,
  bulkId: string,
  context: CommandContext,
): Promise<BulkOutcome> => {
  const {
    handlers,
    files,
    runtime: { clock },
  } = stores;
  const bulk = await handlers.bulks.load(bulkId);
  if (bulk.status === "none") throw new DomainError("unknown_bulk", "there is no such bulk call");
  if (bulk.status !== "requested") return bulk.status;
  const kept = (await readOwnJson(await files.get(bulkId, bulk.rows.sha256), "rows")) as KeptCall;
  const { salt: _salt, ...call } = kept;
  if (!(await isPaid(handlers, bulkId, call, context))) {
    await handlers.bulks.handle(bulkId, refuseBulk, undefined, stepOf(context, "refused"));
    await forgetBulkRows(stores, bulkId, context);
    return "refused";
  }
  for (const { rows, length } of batchesOf(call.rows)) {
    await yieldToOthers();
    const startMs = clock.monotonicMs();
    await forEach(rows, ROWS_AT_A_TIME, ([index, row]) => requestRow(stores, bulkId, call, row, index, context));
    const tookMs = clock.monotonicMs() - startMs;
    if (length > HEAVY_LENGTH && tookMs > 0) await clock.wait(PAUSE * tookMs);
  }
  await handlers.bulks.handle(bulkId, acceptBulkOnce, undefined, stepOf(context, "accepted"));
  return "accepted";
};

/** Requests a row's document, once. */
const requestRow = async (
  stores: BulkStores,
  bulkId: string,
  call: BulkCall,
  row: BulkRow,
  index: number,
  context: CommandContext,
): Promise<void> => {
  const { handlers, keys } = stores;
  const documentId = bulkDocumentId(bulkId, index);
  try {
    // With the key, which is needed next: both are made durable by the same sync.
    const [lineId] = await Promise.all([giveLine(stores, phoneLookupOf(row), documentId), keys.obtain(documentId)]);
    const request = rowRequest(bulkId, call, row, index, lineId);
    await handlers.documents.handle(documentId, requestDocument, request, stepOf(context, "row", index));
  } catch (error) {
    // Requested before the call was cut, and erased since.
    if (!(error instanceof KeyDestroyedError)) throw error;
  }
};

/** A call as it is kept: written in slices, since rows are bounded by their bytes alone. */
const bytesOf = async (call: KeptCall): Promise<Buffer> =>
  Buffer.concat((await inSlices(jsonPieces({ ...call }))).map((piece) => Buffer.from(piece)));

interface Batch {
  rows: [index: number, row: BulkRow][];
  /** How long the rows' variables are as JSON, in characters. */
  length: number;
}

/** The rows with their numbers, in their order; large ones by themselves, so that none adds to another's iteration of the event loop. */
function* batchesOf(rows: readonly BulkRow[]): Generator<Batch, void, undefined> {
  let batch: Batch = { rows: [], length: 0 };
  for (const [index, row] of rows.entries()) {
    const { length } = JSON.stringify(row.variables);
    const isFull = batch.rows.length === ROWS_AT_A_TIME || batch.length + length > BATCH_LENGTH;
    if (isFull && batch.rows.length > 0) {
      yield batch;
      batch = { rows: [], length: 0 };
    }
    batch.rows.push([index, row]);
    batch.length += length;
  }
  yield batch;
}

/** Pays for every row, unless that was done; false when there are too few credits for all of them. */
const isPaid = async (
  { accounts }: Handlers,
  bulkId: string,
  { account, rows }: BulkCall,
  context: CommandContext,
): Promise<boolean> => {
  const command = { bulkId, amount: rows.length };
  try {
    await accounts.handle(account.accountId, spendCredits, command, stepOf(context, "credits"));
    return true;
  } catch (error) {
    if (error instanceof DomainError && error.code === "credits_exhausted") return false;
    throw error;
  }
};

/** Destroys the key of a bulk call's template and rows, once nothing needs them. @throws {DomainError} bulk_open while it goes on. */
export const forgetBulkRows = async (
  { handlers, keys }: Pick<BulkStores, "handlers" | "keys">,
  bulkId: string,
  context: CommandContext,
): Promise<void> => {
  const bulk = await handlers.bulks.load(bulkId);
  // Decided before the key is gone for good, recorded after.
  if (recordRowsForgotten(bulk).length === 0) return;
  await keys.destroy(bulkId);
  await handlers.bulks.handle(bulkId, recordRowsForgotten, undefined, stepOf(context, "forgotten"));
};
