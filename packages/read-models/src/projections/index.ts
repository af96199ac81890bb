import type { Projection } from "../projection.ts";
import { accounts } from "./accounts.ts";
import { analytics } from "./analytics.ts";
import { apiKeys } from "./api-keys.ts";
import { type CustomIdHmac, customIds, customIdsBy } from "./custom-ids.ts";
import { documents } from "./documents.ts";
import { eventLog } from "./event-log.ts";
import { listedDocuments, listedDocumentsBy } from "./listed-documents.ts";
import { bulkObligations, headsObligations, noticesObligations, obligations } from "./obligations.ts";
import { quarantine } from "./quarantine.ts";
import { sealedFiles } from "./sealed-files.ts";
import { sentMessages } from "./sent-messages.ts";
import { webhooks } from "./webhooks.ts";

export { type AccountRecord, AFTER_ANY_ID, accounts, MEMBERSHIP_FIELD, membershipKey } from "./accounts.ts";
export { analytics } from "./analytics.ts";
export { type ApiKeyRecord, apiKeys } from "./api-keys.ts";
export type { CorrectedSigner } from "./corrected-signers.ts";
export { type CustomIdHmac, type CustomIdRecord, customIds, customIdsBy } from "./custom-ids.ts";
export { type DocumentRecord, documents, type PhotoRecord, type SignerRecord } from "./documents.ts";
export { type EventLogRecord, eventLog } from "./event-log.ts";
export {
  type ListedBy,
  type ListedDocument,
  type ListedEnd,
  type ListedPerson,
  type ListedStatus,
  listedBy,
  listedDocuments,
  listedWithin,
  PERSON_FIELD,
  type PersonKey,
  personHmac,
  placeOf,
} from "./listed-documents.ts";
export {
  bulkObligations,
  headsObligations,
  noticesObligations,
  type ObligationsDocument,
  obligations,
  obligationsCollections,
} from "./obligations.ts";
export {
  LAST,
  laneOf,
  type ObligationsCollection,
  type OpenObligationRecord,
  OWED_FIELD,
  OWED_SINCE_FIELD,
  obligationIdOf,
  owedId,
  owedKey,
} from "./owed.ts";
export { QUARANTINE_STREAM_FIELD, type QuarantineRecord, quarantine } from "./quarantine.ts";
export { type SealedFileRecord, sealedFiles } from "./sealed-files.ts";
export { attemptedMessageKey, type SentMessageRecord, sentMessages } from "./sent-messages.ts";
export {
  LISTED_FIELD,
  type ListedWebhook,
  listedRange,
  type WebhookAttemptEntry,
  type WebhookEntry,
  type WebhookState,
  type WebhooksRecord,
  webhooks,
} from "./webhooks.ts";

const others: readonly Projection[] = [
  documents,
  eventLog,
  obligations,
  bulkObligations,
  noticesObligations,
  headsObligations,
  sentMessages,
  sealedFiles,
  accounts,
  apiKeys,
  quarantine,
  webhooks,
  analytics,
];

/** Every projection that there is: what the projector runs. */
export const projectionsBy = (customIdHmac: CustomIdHmac): readonly Projection[] => [
  ...others,
  customIdsBy(customIdHmac),
  listedDocumentsBy(customIdHmac),
];

/** What the projections are called. */
export const projectionNames: readonly string[] = [...others, customIds, listedDocuments].map(({ name }) => name);
