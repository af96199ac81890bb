import { z } from "zod";
import { defineEvent, type EventOf } from "./define.ts";
import { Authentication, FileReference, IsoTime, LineId, Origin, Placement, Sha256, sample, Uuid } from "./shared.ts";

const Channel = z.enum(["v2", "legacy", "bulk"]);
/** The request that made a document: current, legacy or bulk. */
export type Channel = z.infer<typeof Channel>;

const RequestedSigner = z.strictObject({
  signerId: Uuid,
  /** Null when the document sends no messages: such a signer neither waits nor makes others wait. */
  lineId: LineId.nullable(),
  /** Place in the signing order, from 0. */
  order: z.int().nonnegative(),
  placement: Placement,
});

const SignerPerson = z.strictObject({
  idCustom: z.string(),
  name: z.string(),
  idNumber: z.string(),
  idNumberCountry: z.string().nullable(),
  phone: z.string(),
});

/** A document was asked for. `personal.signers` goes with `data.signers`, index by index, in the order of the input. */
export const DocumentRequested = defineEvent({
  type: "DocumentRequested",
  data: z.strictObject({
    documentId: Uuid,
    accountId: Uuid,
    channel: Channel,
    campaignId: z.int().nullable(),
    /** Null when it is still to be prepared from a bulk call's template. */
    file: FileReference.nullable(),
    pageCount: z.int().positive().nullable(),
    bulk: z.strictObject({ bulkId: Uuid, row: z.int().nonnegative() }).nullable(),
    authentication: Authentication,
    requestPhotos: z.boolean(),
    validatePhotos: z.boolean(),
    sendMessages: z.boolean(),
    hasWebhook: z.boolean(),
    signers: z.array(RequestedSigner).min(1),
  }),
  personal: z.strictObject({
    documentName: z.string(),
    businessName: z.string(),
    /** The campaign's own message text, or null for the standard one. */
    messageText: z.string().nullable(),
    customParameters: z.record(z.string(), z.json()).nullable(),
    webhook: z.strictObject({ url: z.string(), headers: z.record(z.string(), z.string()) }).nullable(),
    signers: z.array(SignerPerson).min(1),
    /** The bulk row's variables, or null. */
    variables: z.record(z.string(), z.json()).nullable(),
  }),
  example: {
    data: {
      documentId: sample.documentId,
      accountId: sample.accountId,
      channel: "v2",
      campaignId: null,
      file: sample.pdf,
      pageCount: 2,
      bulk: null,
      authentication: "link",
      requestPhotos: false,
      validatePhotos: false,
      sendMessages: true,
      hasWebhook: true,
      signers: [{ signerId: sample.signerId, lineId: sample.lineId, order: 0, placement: { pages: 1, x: 60, y: 700 } }],
    },
    personal: {
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
        },
      ],
      variables: null,
    },
  },
});

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

/** The signer's message is held back: the phone has another active document. */
export const SignerQueued = defineEvent({
  type: "SignerQueued",
  data: z.strictObject({ signerId: Uuid, lineId: LineId, behindDocumentId: Uuid }),
  personal: null,
  example: {
    data: { signerId: sample.signerId, lineId: sample.lineId, behindDocumentId: sample.otherDocumentId },
    personal: null,
  },
});

/** The signer may be sent a message now. `lineId` is null when the document sends none. */
export const SignerTurnCame = defineEvent({
  type: "SignerTurnCame",
  data: z.strictObject({ signerId: Uuid, lineId: LineId.nullable() }),
  personal: null,
  example: { data: { signerId: sample.signerId, lineId: sample.lineId }, personal: null },
});

const MessageKind = z.enum(["template", "link"]);
/** The two messages that a signer gets: the template that asks, then the link. */
export type MessageKind = z.infer<typeof MessageKind>;

const message = { signerId: Uuid, kind: MessageKind, messageId: z.string().max(200) };
const messageSample = { signerId: sample.signerId, kind: "template" as const, messageId: `${sample.keyId}:template` };
const sentMessage = { ...message, providerMessageId: z.string().max(200) };
const sentSample = { ...messageSample, providerMessageId: "sim.1" };

/** A message is about to be given to the provider: the provider knows no idempotency key, so this comes first. */
export const MessageAttempted = defineEvent({
  type: "MessageAttempted",
  data: z.strictObject({ ...message, attempt: z.int().positive() }),
  personal: null,
  example: { data: { ...messageSample, attempt: 1 }, personal: null },
});

/** The provider took the template message. */
export const MessageSent = defineEvent({
  type: "MessageSent",
  data: z.strictObject({ ...sentMessage, attempt: z.int().positive() }),
  personal: null,
  example: { data: { ...sentSample, attempt: 1 }, personal: null },
});

/** The message reached the signer's phone. */
export const MessageDelivered = defineEvent({
  type: "MessageDelivered",
  data: z.strictObject(sentMessage),
  personal: null,
  example: { data: sentSample, personal: null },
});

/** The signer saw the message. */
export const MessageRead = defineEvent({
  type: "MessageRead",
  data: z.strictObject(sentMessage),
  personal: null,
  example: { data: sentSample, personal: null },
});

/** A message did not reach the signer; `nextAttemptAt` is null when it never will. */
export const MessageFailed = defineEvent({
  type: "MessageFailed",
  data: z.strictObject({
    ...message,
    attempt: z.int().positive(),
    reason: z.string().max(200),
    nextAttemptAt: IsoTime.nullable(),
  }),
  personal: null,
  example: { data: { ...messageSample, attempt: 1, reason: "unreachable", nextAttemptAt: null }, personal: null },
});

/** The signer chose to continue. */
export const TemplateAnswered = defineEvent({
  type: "TemplateAnswered",
  data: z.strictObject({ signerId: Uuid, providerMessageId: z.string().max(200) }),
  personal: null,
  example: { data: { signerId: sample.signerId, providerMessageId: "sim.1" }, personal: null },
});

/** The signer chose not to continue; ends nothing, the link works still. */
export const ContinueRefused = defineEvent({
  type: "ContinueRefused",
  data: z.strictObject({ signerId: Uuid, providerMessageId: z.string().max(200) }),
  personal: null,
  example: { data: { signerId: sample.signerId, providerMessageId: "sim.1" }, personal: null },
});

/** The provider took the message with the signing link. */
export const SignatureLinkSent = defineEvent({
  type: "SignatureLinkSent",
  data: z.strictObject({ ...sentMessage, attempt: z.int().positive() }),
  personal: null,
  example: { data: { ...sentSample, kind: "link", attempt: 1 }, personal: null },
});

/** The signing page's script ran in the signer's browser. */
export const SigningPageOpened = defineEvent({
  type: "SigningPageOpened",
  data: z.strictObject({ signerId: Uuid }),
  personal: Origin,
  example: { data: { signerId: sample.signerId }, personal: sample.origin },
});

const Upload = z.strictObject({
  signerId: Uuid,
  attempt: z.int().positive(),
  file: FileReference,
  validation: z.enum(["none", "pending"]),
});
const uploadSample = { signerId: sample.signerId, attempt: 1, file: sample.jpeg, validation: "pending" as const };

export const SelfieUploaded = defineEvent({
  type: "SelfieUploaded",
  data: Upload,
  personal: Origin,
  example: { data: uploadSample, personal: sample.origin },
});

export const IdFrontUploaded = defineEvent({
  type: "IdFrontUploaded",
  data: Upload,
  personal: Origin,
  example: { data: uploadSample, personal: sample.origin },
});

export const IdBackUploaded = defineEvent({
  type: "IdBackUploaded",
  data: Upload,
  personal: Origin,
  example: { data: uploadSample, personal: sample.origin },
});

const validation = {
  signerId: Uuid,
  attempt: z.int().positive(),
  result: z.enum(["approved", "rejected"]),
  reason: z.string().max(200).nullable(),
};
const validationSample = { signerId: sample.signerId, attempt: 1, result: "approved" as const, reason: null };

/** The identity provider's word on a selfie. */
export const SelfieValidated = defineEvent({
  type: "SelfieValidated",
  data: z.strictObject(validation),
  personal: null,
  example: { data: validationSample, personal: null },
});

/** The identity provider's word on one side of the identity document. */
export const IdDocumentValidated = defineEvent({
  type: "IdDocumentValidated",
  data: z.strictObject({ ...validation, side: z.enum(["front", "back"]) }),
  personal: null,
  example: { data: { ...validationSample, side: "front" }, personal: null },
});

/** The machine-readable zone agrees with the requested signer, or not. */
export const MrzValidated = defineEvent({
  type: "MrzValidated",
  data: z.strictObject(validation),
  personal: null,
  example: { data: validationSample, personal: null },
});

const failure = { signerId: Uuid, attempt: z.int().positive(), reason: z.string().max(200) };
const failureSample = { signerId: sample.signerId, attempt: 1, reason: "unreadable" };

/** The identity document can't be used: unreadable, expired, of somebody else. */
export const IdDocumentErrorFound = defineEvent({
  type: "IdDocumentErrorFound",
  data: z.strictObject(failure),
  personal: null,
  example: { data: failureSample, personal: null },
});

/** The identity provider could not be asked; `nextAttemptAt` is null when it won't be asked again. */
export const IdentityProviderFailed = defineEvent({
  type: "IdentityProviderFailed",
  data: z.strictObject({ ...failure, nextAttemptAt: IsoTime.nullable() }),
  personal: null,
  example: { data: { ...failureSample, reason: "timeout", nextAttemptAt: sample.at }, personal: null },
});

/** The identity provider refused the signer. */
export const IdentityProviderRejected = defineEvent({
  type: "IdentityProviderRejected",
  data: z.strictObject(failure),
  personal: null,
  example: { data: { ...failureSample, reason: "face_mismatch" }, personal: null },
});

/** The signer agreed to sign this very file electronically. */
export const ConsentGiven = defineEvent({
  type: "ConsentGiven",
  data: z.strictObject({ signerId: Uuid, consentVersion: z.string().max(50), documentSha256: Sha256 }),
  personal: Origin,
  example: {
    data: { signerId: sample.signerId, consentVersion: "2026-11", documentSha256: sample.sha256 },
    personal: sample.origin,
  },
});

/** A signer signed. `drawing` is what was drawn, `drawingJpeg` the same on white. */
export const DocumentSigned = defineEvent({
  type: "DocumentSigned",
  data: z.strictObject({
    signerId: Uuid,
    documentSha256: Sha256,
    drawing: FileReference,
    drawingJpeg: FileReference,
    /** The signer's IANA time zone, or null when the browser did not say. */
    timeZone: z.string().max(64).nullable(),
  }),
  personal: Origin,
  example: {
    data: {
      signerId: sample.signerId,
      documentSha256: sample.sha256,
      drawing: sample.png,
      drawingJpeg: sample.jpeg,
      timeZone: "America/Montevideo",
    },
    personal: sample.origin,
  },
});

/** Every signer has signed. */
export const DocumentCompleted = defineEvent({
  type: "DocumentCompleted",
  data: z.strictObject({}),
  personal: null,
  example: { data: {}, personal: null },
});

/** The signed PDF is stamped and sealed. */
export const DocumentSealed = defineEvent({
  type: "DocumentSealed",
  data: z.strictObject({
    file: FileReference,
    /** PAdES baseline level that was reached (ETSI EN 319 142-1). */
    level: z.enum(["B-B", "B-T", "B-LT", "B-LTA"]),
    certificateSha256: Sha256,
  }),
  personal: null,
  example: { data: { file: sample.pdf, level: "B-B", certificateSha256: sample.sha256 }, personal: null },
});

/** Sealing did not succeed; it is tried again at `nextAttemptAt`. */
export const SealingFailed = defineEvent({
  type: "SealingFailed",
  data: z.strictObject({ attempt: z.int().positive(), reason: z.string().max(200), nextAttemptAt: IsoTime }),
  personal: null,
  example: { data: { attempt: 1, reason: "timestamp_unavailable", nextAttemptAt: sample.at }, personal: null },
});

/** The identity provider's audit and photos were fetched and kept. */
export const EvidenceFetched = defineEvent({
  type: "EvidenceFetched",
  data: z.strictObject({ files: z.array(FileReference) }),
  personal: null,
  example: { data: { files: [sample.jpeg] }, personal: null },
});

/** The legal report could be built, once, as a trial; each GET renders it anew. */
export const ReportGenerated = defineEvent({
  type: "ReportGenerated",
  data: z.strictObject({ sizeBytes: z.int().positive() }),
  personal: null,
  example: { data: { sizeBytes: 90_000 }, personal: null },
});

/** A signer rejected the document, which ends it. */
export const Rejected = defineEvent({
  type: "Rejected",
  data: z.strictObject({ signerId: Uuid }),
  personal: z.strictObject({ ...Origin.shape, reason: z.string() }),
  example: { data: { signerId: sample.signerId }, personal: { ...sample.origin, reason: "Wrong amount" } },
});

export const documentEvents = [
  DocumentRequested,
  DocumentPrepared,
  PreparationFailed,
  SignerQueued,
  SignerTurnCame,
  MessageAttempted,
  MessageSent,
  MessageDelivered,
  MessageRead,
  MessageFailed,
  TemplateAnswered,
  ContinueRefused,
  SignatureLinkSent,
  SigningPageOpened,
  SelfieUploaded,
  IdFrontUploaded,
  IdBackUploaded,
  SelfieValidated,
  IdDocumentValidated,
  MrzValidated,
  IdDocumentErrorFound,
  IdentityProviderFailed,
  IdentityProviderRejected,
  ConsentGiven,
  DocumentSigned,
  DocumentCompleted,
  DocumentSealed,
  SealingFailed,
  EvidenceFetched,
  ReportGenerated,
  Rejected,
] as const;

export type DocumentEvent = EventOf<(typeof documentEvents)[number]>;
