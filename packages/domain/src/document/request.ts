import {
  type Authentication,
  type Channel,
  DEFAULT_REFUSAL_HOURS,
  type DocumentEvent,
  type FileReference,
  type Placement,
  type Plan,
  type Reminders,
  type Requester,
  type WebhookType,
} from "@rubrica/events";
import { signingOrder } from "./order.ts";
import type { Document, RequestTexts, SignerPerson } from "./state.ts";

/** What a document is called that nobody named. */
export const DEFAULT_DOCUMENT_NAME = "Rubrica firma document";
const SERVICE_NAME = "Rubrica";

/** A signer as asked for: checked and sanitized. */
export interface SignerToRequest extends SignerPerson {
  signerId: string;
  /** The line of the signer's phone within the account; null where the document sends no messages. */
  lineId: string | null;
  position?: string | null | undefined;
  placement: Placement;
}

/** A document asked for: checked, its files durable. Null is what the request left out. */
export interface RequestDocument {
  documentId: string;
  channel: Channel;
  /** The PDF, or null for a bulk row whose PDF is still to be made. */
  file: FileReference | null;
  /** As it was sent; null for a bulk row, whose PDF nobody sends. */
  sentFile: FileReference | null;
  pageCount: number | null;
  bulk: { bulkId: string; row: number } | null;
  /** Who asks; null where that was not kept (bulk calls from before it was). */
  requester: Requester | null;
  /** From where; null when no address was told that is one. */
  requestIp: string | null;
  /** The account as it is at the request. */
  account: {
    accountId: string;
    plan: Plan;
    businessName: string | null;
    /** Null, or missing in what was kept before it could be chosen: the contract's kinds. */
    webhookEvents?: readonly WebhookType[] | null;
  };
  /** The template that the request names. */
  campaign: {
    campaignId: number;
    messageText: string | null;
    requestPhotos: boolean | null;
    validatePhotos: boolean | null;
    retentionDays: number | null;
    refusalHours: number | null;
    silenceHours: number | null;
    reminders: Reminders | null;
  } | null;
  documentName: string | null;
  businessName: string | null;
  requestPhotos: boolean | null;
  validatePhotos: boolean | null;
  sendMessages: boolean;
  /** Days after its end at which it is erased, where its campaign does not say; null: it is kept. */
  retentionDays: number | null;
  /** Until when it can be signed, UTC in ISO 8601; null: for as long as it takes. */
  expiresAt: string | null;
  reminders: Reminders | null;
  /** IANA; null: that of each phone's country. */
  timeZone: string | null;
  customParameters: RequestTexts["customParameters"];
  webhook: RequestTexts["webhook"];
  /** The bulk row's variables. */
  variables: RequestTexts["variables"];
  /** In the order of the input, at least one. */
  signers: readonly SignerToRequest[];
}

/** How signers prove who they are. Photos that are not taken are not validated, and only the PRO plan validates. */
export const authenticationOf = (requestPhotos: boolean, validatePhotos: boolean, plan: Plan): Authentication => {
  if (!requestPhotos) return "link";
  return validatePhotos && plan === "pro" ? "biometric" : "photos";
};

/** Requests a document, once. What the request says wins over its campaign, this over the defaults. */
export const requestDocument = (document: Document, command: RequestDocument): DocumentEvent[] => {
  if (document.status !== "none") return [];
  const { documentId, channel, campaign, file, sentFile, pageCount, bulk, sendMessages, webhook, signers } = command;
  const requestPhotos = command.requestPhotos ?? campaign?.requestPhotos ?? false;
  const validatePhotos = command.validatePhotos ?? campaign?.validatePhotos ?? true;
  const authentication = authenticationOf(requestPhotos, validatePhotos, command.account.plan);
  const places = signingOrder(signers.map(({ position }) => position));
  return [
    {
      type: "DocumentRequested",
      data: {
        documentId,
        accountId: command.account.accountId,
        requester: command.requester,
        channel,
        campaignId: campaign?.campaignId ?? null,
        file,
        sentFile,
        pageCount,
        bulk,
        authentication,
        requestPhotos,
        validatePhotos: authentication === "biometric",
        sendMessages,
        hasWebhook: webhook !== null,
        webhookEvents: webhook && command.account.webhookEvents ? [...command.account.webhookEvents] : null,
        retentionDays: campaign?.retentionDays ?? command.retentionDays,
        expiresAt: command.expiresAt,
        refusalHours: campaign?.refusalHours ?? DEFAULT_REFUSAL_HOURS,
        silenceHours: campaign?.silenceHours ?? null,
        reminders: command.reminders ?? campaign?.reminders ?? null,
        timeZone: command.timeZone,
        signers: signers.map(({ signerId, lineId, placement }, index) => ({
          signerId,
          lineId: sendMessages ? lineId : null,
          ...(places[index] ?? { order: index, group: index }),
          placement,
        })),
      },
      personal: {
        requestIp: command.requestIp,
        documentName: command.documentName ?? DEFAULT_DOCUMENT_NAME,
        businessName: command.businessName ?? command.account.businessName ?? SERVICE_NAME,
        messageText: campaign?.messageText ?? null,
        customParameters: command.customParameters,
        webhook,
        variables: command.variables,
        signers: signers.map(({ idCustom, name, idNumber, idNumberCountry, phone, email }) => ({
          idCustom,
          name,
          idNumber,
          idNumberCountry,
          phone,
          email,
        })),
      },
    },
  ];
};
