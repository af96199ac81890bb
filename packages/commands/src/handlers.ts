import {
  type Account,
  accountFold,
  type Bulk,
  bulkFold,
  type Delivery,
  type Document,
  deliveryFold,
  documentAt,
  documentFold,
  type Heads,
  headsFold,
  type IdempotentRequest,
  type PhoneLine,
  phoneLineFold,
  type ReceivedNotices,
  receivedNoticesFold,
  requestFold,
} from "@rubrica/domain";
import type {
  AccountEvent,
  BulkEvent,
  DeliveryEvent,
  DocumentEvent,
  HeadsEvent,
  NoticesEvent,
  PhoneLineEvent,
  RequestEvent,
} from "@rubrica/events";
import { type CommandContext, type Journal, UnreadableStreamError } from "@rubrica/journal";
import type { Runtime } from "@rubrica/runtime";
import { StreamHandler } from "./stream-handler.ts";

/** The handlers of every kind of stream that commands go to. */
export interface Handlers {
  documents: StreamHandler<Document, DocumentEvent>;
  lines: StreamHandler<PhoneLine, PhoneLineEvent>;
  accounts: StreamHandler<Account, AccountEvent>;
  requests: StreamHandler<IdempotentRequest, RequestEvent>;
  bulks: StreamHandler<Bulk, BulkEvent>;
  deliveries: StreamHandler<Delivery, DeliveryEvent>;
  notices: StreamHandler<ReceivedNotices, NoticesEvent>;
  heads: StreamHandler<Heads, HeadsEvent>;
}

/** One set of handlers for a process: they share its queues and cached states. */
export const createHandlers = (journal: Journal, runtime: Runtime): Handlers => ({
  documents: new StreamHandler(journal, "document", documentFold, runtime, documentAt),
  lines: new StreamHandler(journal, "phoneLine", phoneLineFold, runtime),
  accounts: new StreamHandler(journal, "account", accountFold, runtime),
  requests: new StreamHandler(journal, "request", requestFold, runtime),
  bulks: new StreamHandler(journal, "bulk", bulkFold, runtime),
  deliveries: new StreamHandler(journal, "delivery", deliveryFold, runtime),
  notices: new StreamHandler(journal, "notices", receivedNoticesFold, runtime),
  heads: new StreamHandler(journal, "heads", headsFold, runtime),
});

/** The document, for what is decided of others beside it; undefined where its stream can't be read. */
export const documentIfReadable = async (
  { documents }: Pick<Handlers, "documents">,
  documentId: string,
): Promise<Document | undefined> => {
  try {
    return await documents.load(documentId);
  } catch (error) {
    if (error instanceof UnreadableStreamError) return undefined;
    throw error;
  }
};

/** The context of one step of a command that writes several times. */
export const stepOf = (context: CommandContext, ...step: (string | number)[]): CommandContext => ({
  ...context,
  commandId: [context.commandId, ...step].join("/"),
});
