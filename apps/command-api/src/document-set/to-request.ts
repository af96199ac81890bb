import type { DocumentToAccept } from "@rubrica/commands";
import { campaignOf, type OpenAccount, signingOrder } from "@rubrica/domain";
import { phoneLine } from "@rubrica/identity";
import type { Ids } from "@rubrica/runtime";
import { phoneLineId, type Secrets } from "@rubrica/secrets";
import { type DocumentSetBody, idNumberOf, type SignerInput } from "./body.ts";
import { placementsOf } from "./placements.ts";
import type { ReadDocument } from "./read-document.ts";

/** What a request is made of, beside its body. */
export interface RequestParts {
  documentId: string;
  channel: "v2" | "legacy";
  account: OpenAccount;
  read: ReadDocument;
  ids: Ids;
  secrets: Secrets;
}

/** The domain's form of a checked body. */
export const toRequest = (body: DocumentSetBody, parts: RequestParts): DocumentToAccept => {
  const { documentId, channel, account, read } = parts;
  const signers = body.datos_firmantes;
  const places = signingOrder(signers.map(({ position }) => position));
  const everyPage = body.firma_en_todas_las_hojas ?? false;
  const placements = placementsOf(read.inspection, signers, places, everyPage);
  return {
    documentId,
    channel,
    bytes: read.bytes,
    pageCount: read.inspection.pageCount,
    bulk: null,
    account,
    campaign: (body.campaign_id !== undefined && campaignOf(account, body.campaign_id)) || null,
    documentName: body.document_name ?? null,
    businessName: body.wpp_business_name ?? null,
    requestPhotos: body.request_photos ?? null,
    validatePhotos: body.validate_photos ?? null,
    sendMessages: body.wpp ?? true,
    customParameters: (body.custom_parameters as DocumentToAccept["customParameters"] | undefined) ?? null,
    webhook: body.webhook_url === undefined ? null : { url: body.webhook_url, headers: body.webhook_key ?? {} },
    variables: null,
    signers: signers.map((signer, index) => ({
      ...signerToRequest(signer, parts),
      placement: placements[index] ?? { pages: "last", x: 0, y: 0 },
    })),
  };
};

const signerToRequest = (signer: SignerInput, { account, ids, secrets }: RequestParts) => {
  const signerId = ids.uuidv7();
  const checked = idNumberOf(signer);
  if (!checked.ok) throw new Error("the body was not checked");
  return {
    signerId,
    idCustom: signerId,
    name: signer.name,
    idNumber: checked.idNumber,
    idNumberCountry: checked.country,
    phone: signer.phone,
    position: signer.position,
    lineId: phoneLineId(secrets, account.accountId, phoneLine(signer.phone)),
  };
};
