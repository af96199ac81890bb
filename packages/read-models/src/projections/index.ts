import type { Projection } from "../projection.ts";
import { bulkObligations } from "./bulk-obligations.ts";
import { customIds } from "./custom-ids.ts";
import { documents } from "./documents.ts";
import { eventLog } from "./event-log.ts";
import { obligations } from "./obligations.ts";
import { sealedFiles } from "./sealed-files.ts";
import { sentMessages } from "./sent-messages.ts";

export {
  type DirectoryAccount,
  type DirectoryCampaign,
  type DirectoryKey,
  EventSourcedAccountDirectory,
} from "./account-directory.ts";
export { type BulkObligationsDocument, bulkObligations } from "./bulk-obligations.ts";
export { type CustomIdRecord, customIdKey, customIds } from "./custom-ids.ts";
export { type DocumentRecord, documents, type PhotoKind, type PhotoRecord, type SignerRecord } from "./documents.ts";
export { type EventLogRecord, eventLog, type LogEntry, type LogEntryName, type LogSigner } from "./event-log.ts";
export { OBLIGATIONS_DUE_FIELD, type ObligationsDocument, obligations } from "./obligations.ts";
export { type SealedFileRecord, sealedFiles } from "./sealed-files.ts";
export { attemptedMessageKey, type SentMessageRecord, sentMessages } from "./sent-messages.ts";

/** Every projection that there is: what the projector runs. */
export const projections: readonly Projection[] = [
  documents,
  customIds,
  eventLog,
  obligations,
  bulkObligations,
  sentMessages,
  sealedFiles,
];
