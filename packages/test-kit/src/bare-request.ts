import type { RequestDocument } from "@rubrica/domain";

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
