import { type AcceptedDocument, acceptDocument, acceptedDocument, type DocumentToAccept } from "@rubrica/commands";
import { campaignOf, type OpenAccount, openedAccount } from "@rubrica/domain";
import type { Requester } from "@rubrica/events";
import { callerOf, senderOf } from "@rubrica/http";
import { phoneLine } from "@rubrica/identity";
import type { Ids } from "@rubrica/runtime";
import { phoneLookup, type Secrets } from "@rubrica/secrets";
import type { FastifyRequest } from "fastify";
import { contextOf, requesterOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { expiryOf } from "../fields/expiry.ts";
import { remindersOf } from "../fields/reminders.ts";
import { repeatableRequest } from "../idempotency.ts";
import type { Parsed } from "../schemas.ts";
import { warnFirst } from "../warnings.ts";
import type { DocumentSetBody } from "./body.ts";
import { type CheckedRequest, checkedRequest, type PlacedSigner } from "./check.ts";
import { changedFileWarnings } from "./warnings.ts";

/** The versions of the document request. */
export type Version = "v2" | "legacy";

/** Where each version is asked for. */
export const addresses = { v2: "/api/v2/documentSet", legacy: "/api/documentSet" } as const satisfies Record<
  Version,
  string
>;

/**
 * Accepts what a request asks for, or finds what it asked for before; warns where its file was changed.
 * @throws {BadRequestError} @throws {HttpError} when it is refused.
 */
export const accept = async (
  request: FastifyRequest,
  parsed: Parsed<DocumentSetBody>,
  dependencies: CommandApiDependencies,
  version: Version,
): Promise<AcceptedDocument> => {
  const accepted = await acceptedOnce(request, parsed, dependencies, version);
  warnFirst(request, changedFileWarnings(accepted.document));
  return accepted;
};

const acceptedOnce = async (
  request: FastifyRequest,
  parsed: Parsed<DocumentSetBody>,
  dependencies: CommandApiDependencies,
  version: Version,
): Promise<AcceptedDocument> => {
  const { handlers, runtime, secrets, pdf, limits, retentionDays } = dependencies;
  const { accountId } = callerOf(request);
  const contextFor = (documentId: string) => contextOf(request, "integrator", accountId, documentId);
  const route = `POST ${addresses[version]}`;
  // What it makes is the document.
  const documentOf = (resultId: string) => resultId;
  const repeatable = parsed.ok
    ? await repeatableRequest(dependencies, request, route, parsed.body, documentOf)
    : undefined;
  const knownId = await repeatable?.resultId();
  const known = knownId && (await acceptedDocument(handlers, knownId, contextFor(knownId)));
  if (known) return known;
  const account = openedAccount(await handlers.accounts.load(accountId));
  const now = runtime.clock.now();
  const fetcher = version === "legacy" ? dependencies.fetcher : null;
  const checked = await checkedRequest(
    request,
    parsed,
    { pdf, fetcher, maxBytes: limits.documentBytes, caller: senderOf(request).name },
    account,
    now,
  );
  const newId = knownId ?? runtime.ids.uuidv7();
  const documentId = (await repeatable?.reserve(newId)) ?? newId;
  const parts = { documentId, channel: version, account, ids: runtime.ids, secrets, retentionDays, now };
  const document = toRequest(checked, { ...parts, ...requesterOf(request, account) });
  return acceptDocument(dependencies, document, contextFor(documentId));
};

/** What a document is made of, beside the request for it. */
interface RequestParts {
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
const toRequest = ({ body, document, signers }: CheckedRequest, parts: RequestParts): DocumentToAccept => {
  const { documentId, channel, account, requester, requestIp, retentionDays, now } = parts;
  const campaign = (body.campaign_id !== undefined && campaignOf(account, body.campaign_id)) || null;
  return {
    documentId,
    channel,
    bytes: document.bytes,
    sentBytes: document.sentBytes,
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
    email: email.address,
    position,
    phoneLookup: phoneLookup(secrets, account.accountId, phoneLine(phone)),
    placement,
  };
};
