import type { RequestDocument, SignerToRequest } from "@rubrica/domain";
import { derivedId, type Reminders } from "@rubrica/events";

/** A row of a bulk call: checked and sanitized. */
export type BulkRow = Pick<
  SignerToRequest,
  "idCustom" | "name" | "idNumber" | "idNumberCountry" | "phone" | "placement"
> & {
  /** What the account's phone is looked up by; missing in rows that were kept by a release that called it `lineId`. */
  phoneLookup?: string;
  lineId?: string;
  /** Missing in rows that were kept by a release that knew no e-mail addresses. */
  email?: string | null;
  /** The row as it was given, which is what fills the template. */
  variables: NonNullable<RequestDocument["variables"]>;
};

/** A bulk call as it is kept, in one file under its own key, until each row is prepared. JSON. */
export type BulkCall = Pick<
  RequestDocument,
  "requester" | "requestIp" | "account" | "requestPhotos" | "validatePhotos" | "retentionDays" | "webhook"
> & {
  /** These three are missing in calls that were kept by a release that knew no expiry. */
  expiresAt?: string | null;
  reminders?: Reminders | null;
  timeZone?: string | null;
  /** In the order of the input. */
  rows: readonly BulkRow[];
};

/** The document of a row, from 0: derived, so that going on after a crash repeats nothing. */
export const bulkDocumentId = (bulkId: string, row: number): string => derivedId(bulkId, "document", String(row));

/** What the account's phone is looked up by. @throws {TypeError} where the row does not say. */
export const phoneLookupOf = ({ phoneLookup, lineId }: BulkRow): string => {
  const lookup = phoneLookup ?? lineId;
  if (lookup === undefined) throw new TypeError("a row says nothing of its phone's line");
  return lookup;
};

/**
 * The request of a row's document.
 * @param lineId the line that it was given
 */
export const rowRequest = (
  bulkId: string,
  { rows: _rows, ...call }: BulkCall,
  row: BulkRow,
  index: number,
  lineId: string,
) => {
  const { variables, phoneLookup: _lookup, ...signer } = row;
  const request: RequestDocument = {
    ...call,
    documentId: bulkDocumentId(bulkId, index),
    channel: "bulk",
    file: null,
    sentFile: null,
    pageCount: null,
    bulk: { bulkId, row: index },
    campaign: null,
    documentName: null,
    businessName: null,
    sendMessages: true,
    // What was kept before there were such times, or before it was kept who asks, says nothing of it.
    requester: call.requester ?? null,
    requestIp: call.requestIp ?? null,
    retentionDays: call.retentionDays ?? null,
    expiresAt: call.expiresAt ?? null,
    reminders: call.reminders ?? null,
    timeZone: call.timeZone ?? null,
    customParameters: null,
    variables,
    signers: [{ ...signer, lineId, email: signer.email ?? null, signerId: derivedId(bulkId, "signer", String(index)) }],
  };
  return request;
};
