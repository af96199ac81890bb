import type { DocumentToAccept } from "@rubrica/commands";
import { campaignOf, type OpenAccount } from "@rubrica/domain";
import type { Requester } from "@rubrica/events";
import { phoneLine } from "@rubrica/identity";
import type { Ids } from "@rubrica/runtime";
import { phoneLineId, type Secrets } from "@rubrica/secrets";
import { emailAddressOf } from "../email-address.ts";
import { idNumberOf, type SignerInput } from "./body.ts";
import type { CheckedRequest } from "./check.ts";
import { expiryOf } from "./expiry.ts";
import { remindersOf } from "./reminders.ts";

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
export const toRequest = ({ body, document, placements }: CheckedRequest, parts: RequestParts): DocumentToAccept => {
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
    customParameters: (body.custom_parameters as DocumentToAccept["customParameters"] | undefined) ?? null,
    webhook: body.webhook_url === undefined ? null : { url: body.webhook_url, headers: body.webhook_key ?? {} },
    variables: null,
    signers: body.datos_firmantes.map((signer, index) => signerToRequest(signer, placements[index], parts)),
  };
};

const signerToRequest = (
  signer: SignerInput,
  placement: CheckedRequest["placements"][number],
  { account, ids, secrets }: RequestParts,
) => {
  const signerId = ids.uuidv7();
  const checked = idNumberOf(signer);
  if (!checked.ok || !placement) throw new Error("the body was not checked");
  return {
    signerId,
    idCustom: signerId,
    name: signer.name,
    idNumber: checked.idNumber,
    idNumberCountry: checked.country,
    phone: signer.phone,
    email: emailAddressOf(signer.email),
    position: signer.position,
    lineId: phoneLineId(secrets, account.accountId, phoneLine(signer.phone)),
    placement,
  };
};
