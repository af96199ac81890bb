import {
  type EraseDocument,
  eraseDocument as erased,
  type RequestedDocument,
  recordForgotten,
  requestedDocument,
} from "@rubrica/domain";
import type { ErasureCause } from "@rubrica/events";
import type { CommandContext } from "@rubrica/journal";
import type { FileStore, KeyStore } from "@rubrica/storage";
import { type Handlers, stepOf } from "../handlers.ts";
import { type LineStores, takeOffLines } from "../phone-lines.ts";
import { releaseTurnIfDue } from "../turns.ts";

/** What a document is erased from. */
export interface ErasureStores extends LineStores {
  handlers: Handlers;
  keys: Pick<KeyStore, "destroy" | "lines">;
  files: Pick<FileStore, "removeAll">;
  customIdHmac: EraseDocument["customIdHmac"];
}

/**
 * Erases a document: DocumentErased (of an open one DocumentWithdrawn before it), then its places on lines, its key,
 * its files, then its signers' turns on their phones. Wherever it is cut, what remains is owed by what was written:
 * to release the turns, and to forget the document everywhere. Safe to repeat.
 * @throws {DomainError} unknown_document
 */
export const eraseDocument = async (
  stores: ErasureStores,
  documentId: string,
  cause: ErasureCause,
  context: CommandContext,
): Promise<RequestedDocument> => {
  const { handlers, customIdHmac } = stores;
  const command = { cause, customIdHmac };
  const { state } = await handlers.documents.handle(documentId, erased, command, stepOf(context, "erase"));
  await destroyContents(stores, documentId);
  const document = requestedDocument(state);
  for (const { signerId } of document.signers) await releaseTurnIfDue(handlers, documentId, signerId, context);
  return document;
};

const destroyContents = async (stores: ErasureStores, documentId: string): Promise<void> => {
  const { keys, files } = stores;
  await takeOffLines(stores, documentId);
  await keys.destroy(documentId);
  await files.removeAll(documentId);
};

/**
 * Destroys an erased document's key, removes its files, has whoever else keeps something of it forget it, and then
 * records that with DocumentForgotten. Safe to repeat.
 * @param forgetElsewhere asks the providers; when it rejects, all is to be done again later
 * @throws {DomainError} document_not_erased
 */
export const forgetDocument = async (
  stores: ErasureStores,
  documentId: string,
  forgetElsewhere: (document: RequestedDocument) => Promise<void>,
  context: CommandContext,
): Promise<void> => {
  const { handlers } = stores;
  const document = await handlers.documents.load(documentId);
  // Refused before anything is destroyed.
  if (recordForgotten(document).length === 0) return;
  await destroyContents(stores, documentId);
  await forgetElsewhere(requestedDocument(document));
  await handlers.documents.handle(documentId, recordForgotten, undefined, stepOf(context, "forget"));
};
