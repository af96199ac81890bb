import type { DocumentToAccept } from "@rubrica/commands";
import { campaignOf, type OpenAccount } from "@rubrica/domain";
import type { Requester } from "@rubrica/events";
import { phoneLine } from "@rubrica/identity";
import type { Ids } from "@rubrica/runtime";
import { phoneLineId, type Secrets } from "@rubrica/secrets";
import { emailAddressOf } from "../fields/email-address.ts";
import { expiryOf } from "../fields/expiry.ts";
import { remindersOf } from "../fields/reminders.ts";
import type { CheckedRequest, PlacedSigner } from "./check.ts";

/** What a document is made of, beside the request for it. */
export interface RequestParts {
  documentId: string;
  channel: "v2" | "legacy";
  account: OpenAccount;
  requester: Requester;
  requestIp: string | null;
  ids: Ids;
  secrets: Secrets;
  /** Of documents whose campaign does not say. */
  retentionDays: number | null;
  /** Milliseconds since the UNIX epoch. */
  now: number;
}

/** The domain's form of a checked request. */
export const toRequest = ({ body, document, signers }: CheckedRequest, parts: RequestParts): DocumentToAccept => {
  const { documentId, channel, account, requester, requestIp, retentionDays, now } = parts;
  const campaign = (body.campaign_id !== undefined && campaignOf(account, body.campaign_id)) || null;
  return {
    documentId,
    channel,
    bytes: document.bytes,
    pageCount: document.inspection.pageCount,
    bulk: null,
    account,
    requester,
    requestIp,
    campaign,
    documentName: body.document_name ?? null,
    businessName: body.wpp_business_name ?? null,
    requestPhotos: body.request_photos ?? null,
    validatePhotos: body.validate_photos ?? null,
    sendMessages: body.wpp ?? true,
    retentionDays,
    expiresAt: expiryOf(body, campaign, now),
    reminders: remindersOf(body.reminders),
    timeZone: body.time_zone ?? null,
    customParameters: body.custom_parameters ?? null,
    webhook: body.webhook_url === undefined ? null : { url: body.webhook_url, headers: body.webhook_key ?? {} },
    variables: null,
    signers: signers.map((signer) => signerToRequest(signer, parts)),
  };
};

const signerToRequest = (
  { name, idNumber, phone, email, position, placement }: PlacedSigner,
  { account, ids, secrets }: RequestParts,
) => {
  const signerId = ids.uuidv7();
  return {
    signerId,
    idCustom: signerId,
    name,
    idNumber: idNumber.idNumber,
    idNumberCountry: idNumber.country,
    phone,
    email: emailAddressOf(email),
    position,
    lineId: phoneLineId(secrets, account.accountId, phoneLine(phone)),
    placement,
  };
};
