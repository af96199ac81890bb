import { z } from "zod";
import { defineEvent } from "../define.ts";
import { IpAddress } from "../origin.ts";
import {
  Authentication,
  FileReference,
  IsoTime,
  JsonRecord,
  LineId,
  Placement,
  Reminders,
  sample,
  Uuid,
  WebhookTypes,
} from "../shared.ts";

const Channel = z.enum(["v2", "legacy", "bulk"]);
/** The request that made a document: current, legacy or bulk. */
export type Channel = z.infer<typeof Channel>;

const RequestedSigner = z.strictObject({
  signerId: Uuid,
  /** Null when the document sends no messages: such a signer neither waits nor makes others wait. */
  lineId: LineId.nullable(),
  /** Place in the signing order, from 0. */
  order: z.int().nonnegative(),
  /** Those of one group are asked together, once those of the groups before have signed; from 0. */
  group: z.int().nonnegative(),
  placement: Placement,
});

export const Requester = z.strictObject({
  accountName: z.string().max(200),
  keyId: Uuid,
  /** Null when the key has none. */
  keyName: z.string().max(100).nullable(),
});
/** Whose request a document is: an account by its registered name, and the key that it used. */
export type Requester = z.infer<typeof Requester>;

/** Who a signer is, by the word of who asks. */
export const SignerPerson = z.strictObject({
  idCustom: z.string(),
  name: z.string(),
  idNumber: z.string(),
  idNumberCountry: z.string().nullable(),
  phone: z.string(),
  /** Null when the request names none. */
  email: z.string().nullable(),
});

const withoutEmails = ({ signers, ...texts }: Record<string, unknown>): Record<string, unknown> => ({
  ...texts,
  signers: Array.isArray(signers) ? signers.map((signer) => ({ ...signer, email: null })) : signers,
});

const eachAlone = ({ signers, ...data }: Record<string, unknown>): Record<string, unknown> => ({
  ...data,
  signers: Array.isArray(signers) ? signers.map((signer) => ({ ...signer, group: signer.order })) : signers,
});

/** For how long who chose not to continue keeps their phone's turn, where nobody says otherwise. */
export const DEFAULT_REFUSAL_HOURS = 72;

/** A document was asked for. Who `data.signers` are is told in `personal.signers`, index by index: {@link namedSigners}. */
export const DocumentRequested = defineEvent({
  type: "DocumentRequested",
  version: 8,
  upcasts: {
    // Before there were such times, documents were kept for ever.
    1: ({ data, personal }) => ({ data: { ...data, retentionDays: null }, personal }),
    2: ({ data, personal }) => ({
      data: { ...data, requester: null },
      personal: personal && { ...personal, requestIp: null },
    }),
    // Before there were addresses, phones alone were known.
    3: ({ data, personal }) => ({ data, personal: personal && withoutEmails(personal) }),
    // Before their time could end, documents waited for as long as it took.
    4: ({ data, personal }) => ({
      data: {
        ...data,
        expiresAt: null,
        refusalHours: DEFAULT_REFUSAL_HOURS,
        silenceHours: null,
        reminders: null,
        timeZone: null,
      },
      personal,
    }),
    // Before they could be chosen, webhooks were of the contract's kinds.
    5: ({ data, personal }) => ({ data: { ...data, webhookEvents: null }, personal }),
    // Before there were groups, signers were asked one after the other.
    6: ({ data, personal }) => ({ data: eachAlone(data), personal }),
    // Before files were kept as they were sent, nothing tells whether they were changed.
    7: ({ data, personal }) => ({ data: { ...data, sentFile: null }, personal }),
  },
  data: z.strictObject({
    documentId: Uuid,
    accountId: Uuid,
    /** The account by its registered name, and the key that asked; null from before they were recorded. */
    requester: Requester.nullable(),
    channel: Channel,
    campaignId: z.int().nullable(),
    /** Null when it is still to be prepared from a bulk call's template. */
    file: FileReference.nullable(),
    /** As it was sent: another than `file` where it was changed to be signed. Null where nobody sent it (`bulk`), and from before that was recorded. */
    sentFile: FileReference.nullable(),
    pageCount: z.int().positive().nullable(),
    bulk: z.strictObject({ bulkId: Uuid, row: z.int().nonnegative() }).nullable(),
    authentication: Authentication,
    requestPhotos: z.boolean(),
    validatePhotos: z.boolean(),
    sendMessages: z.boolean(),
    hasWebhook: z.boolean(),
    /** What the webhook is told, as the account chose it; null: the contract's kinds. */
    webhookEvents: WebhookTypes.nullable(),
    /** Days after its end at which the document is erased, or null: it is kept until somebody asks. */
    retentionDays: z.int().positive().nullable(),
    /** Until when it can be signed, or null: for as long as it takes. */
    expiresAt: IsoTime.nullable(),
    /** Hours for which a signer who chose not to continue keeps their phone's turn. */
    refusalHours: z.int().positive(),
    /** The same for one who does not answer; null: for as long as it takes. */
    silenceHours: z.int().positive().nullable(),
    reminders: Reminders.nullable(),
    /** IANA, for when signers are reminded; null: their phone's country's. */
    timeZone: z.string().max(64).nullable(),
    signers: z.array(RequestedSigner).min(1),
  }),
  personal: z.strictObject({
    /** From where it was asked for; null when no address was told that is one, and from before it was recorded. */
    requestIp: IpAddress.nullable(),
    documentName: z.string(),
    businessName: z.string(),
    /** The campaign's own message text, or null for the standard one. */
    messageText: z.string().nullable(),
    customParameters: JsonRecord.nullable(),
    webhook: z.strictObject({ url: z.string(), headers: z.record(z.string(), z.string()) }).nullable(),
    signers: z.array(SignerPerson).min(1),
    /** The bulk row's variables, or null. */
    variables: JsonRecord.nullable(),
  }),
  example: {
    data: {
      documentId: sample.documentId,
      accountId: sample.accountId,
      requester: { accountName: "ACME", keyId: sample.keyId, keyName: "billing" },
      channel: "v2",
      campaignId: null,
      file: sample.pdf,
      sentFile: sample.pdf,
      pageCount: 2,
      bulk: null,
      authentication: "link",
      requestPhotos: false,
      validatePhotos: false,
      sendMessages: true,
      hasWebhook: true,
      webhookEvents: null,
      retentionDays: null,
      expiresAt: null,
      refusalHours: 72,
      silenceHours: null,
      reminders: null,
      timeZone: null,
      signers: [
        {
          signerId: sample.signerId,
          lineId: sample.lineId,
          order: 0,
          group: 0,
          placement: { pages: 1, x: 60, y: 700 },
        },
      ],
    },
    personal: {
      requestIp: "203.0.113.7",
      documentName: "Lease agreement",
      businessName: "ACME",
      messageText: null,
      customParameters: { order: 17 },
      webhook: { url: "https://example.com/hook", headers: { "x-hook": "k" } },
      signers: [
        {
          idCustom: sample.signerId,
          name: "Ana Paz",
          idNumber: "30123456",
          idNumberCountry: "AR",
          phone: "5491122334455",
          email: "ana.paz@example.com",
        },
      ],
      variables: null,
    },
  },
});

interface Requested {
  data: z.infer<typeof DocumentRequested.data>;
  personal: z.infer<typeof DocumentRequested.personal> | null;
}

/** The signers of a request, each with who they are; null once that was erased. */
export const namedSigners = ({ data, personal }: Requested) =>
  data.signers.map((signer, index) => ({ ...signer, person: personal?.signers[index] ?? null }));

/** A bulk row's PDF is there. */
export const DocumentPrepared = defineEvent({
  type: "DocumentPrepared",
  data: z.strictObject({ bulkId: Uuid, file: FileReference, pageCount: z.int().positive() }),
  personal: null,
  example: { data: { bulkId: sample.bulkId, file: sample.pdf, pageCount: 2 }, personal: null },
});

/** A bulk row's PDF could not be made, for good. */
export const PreparationFailed = defineEvent({
  type: "PreparationFailed",
  data: z.strictObject({ bulkId: Uuid, reason: z.string().max(200), attempts: z.int().positive() }),
  personal: null,
  example: { data: { bulkId: sample.bulkId, reason: "conversion_timed_out", attempts: 3 }, personal: null },
});

export const documentRequestEvents = [DocumentRequested, DocumentPrepared, PreparationFailed] as const;
