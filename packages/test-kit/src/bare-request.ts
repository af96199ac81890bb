import type { RequestDocument } from "@rubrica/domain";
import { sample } from "@rubrica/events";

/** A request with all options left out: what it is about, and by whom it is to be signed, is added. */
export const bareRequest = {
  channel: "v2",
  bulk: null,
  campaign: null,
  documentName: null,
  businessName: null,
  requestPhotos: null,
  validatePhotos: null,
  sendMessages: true,
  retentionDays: null,
  expiresAt: null,
  reminders: null,
  timeZone: null,
  customParameters: null,
  webhook: null,
  variables: null,
} as const satisfies Partial<RequestDocument>;

/** The same of a PDF of two pages, by an account on the pro plan; its id and signers apart. */
export const sampleRequest = {
  ...bareRequest,
  requester: null,
  requestIp: null,
  file: sample.pdf,
  sentFile: sample.pdf,
  pageCount: 2,
  account: { accountId: sample.accountId, plan: "pro", businessName: null },
} as const satisfies Omit<RequestDocument, "documentId" | "signers">;
