import { z } from "zod";
import { defineEvent, type EventContent } from "../define.ts";
import { addressChecked, Origin } from "../origin.ts";
import { FileReference, IsoTime, Provider, photoKinds, providerNotRecorded, Sha256, sample, Uuid } from "../shared.ts";

/** The signer agreed to sign this very file electronically. */
export const ConsentGiven = defineEvent({
  type: "ConsentGiven",
  ...addressChecked,
  data: z.strictObject({ signerId: Uuid, consentVersion: z.string().max(50), documentSha256: Sha256 }),
  personal: Origin,
  example: {
    data: { signerId: sample.signerId, consentVersion: "2026-11", documentSha256: sample.sha256 },
    personal: sample.origin,
  },
});

/** How a signature came to be, by the word of the page that it was given on: drawn by hand, or a name that was typed. */
export const SignatureMethod = z.enum(["drawn", "typed"]);
export type SignatureMethod = z.infer<typeof SignatureMethod>;

/** A signer signed. `drawing` is the picture of the signature, `drawingJpeg` the same on white. */
export const DocumentSigned = defineEvent({
  type: "DocumentSigned",
  version: 3,
  upcasts: {
    ...addressChecked.upcasts,
    2: ({ data, personal }) => ({ data: { ...data, method: null }, personal }),
  },
  data: z.strictObject({
    signerId: Uuid,
    documentSha256: Sha256,
    drawing: FileReference,
    drawingJpeg: FileReference,
    /** The signer's IANA time zone, or null when the browser did not say. */
    timeZone: z.string().max(64).nullable(),
    /** Null where nobody said so, and from before it was recorded. */
    method: SignatureMethod.nullable(),
  }),
  personal: Origin,
  example: {
    data: {
      signerId: sample.signerId,
      documentSha256: sample.sha256,
      drawing: sample.png,
      drawingJpeg: sample.jpeg,
      timeZone: "America/Montevideo",
      method: "drawn",
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
  version: 4,
  upcasts: {
    1: ({ data, personal }) => ({ data: { ...data, ownAuthority: null, timestamp: null }, personal }),
    // Before there were such messages, signers were sent none: nor are they for what was sealed then.
    2: ({ data, personal }) => ({ data: { ...data, sendCopies: false }, personal }),
    // Whether what was lacking may be had later was not recorded, nor when its timestamp's certificate ends.
    3: ({ data, personal }) => ({ data: { ...data, toComplete: false, provenUntil: null }, personal }),
  },
  data: z.strictObject({
    file: FileReference,
    /** PAdES baseline level that was reached (ETSI EN 319 142-1). */
    level: z.enum(["B-B", "B-T", "B-LT", "B-LTA"]),
    /** Why a higher level that was asked for was not reached; null when it was. */
    shortfall: z.string().max(500).nullable(),
    certificateSha256: Sha256,
    /** Whether the service issued its certificate itself, so that nobody else trusts it; null from before it was recorded. */
    ownAuthority: z.boolean().nullable(),
    /** The seal's timestamp: when, and the subject of its authority's certificate. Null at B-B, and from before it was recorded. */
    timestamp: z.strictObject({ at: IsoTime, authority: z.string().max(500) }).nullable(),
    /** Whether signers who were reached by message are told where their copy is. */
    sendCopies: z.boolean(),
    /** Whether the level that was not reached is to be reached later. */
    toComplete: z.boolean(),
    /** When the first certificate of its document timestamp ends; null without one, and from before it was recorded. */
    provenUntil: IsoTime.nullable(),
  }),
  personal: null,
  example: {
    data: {
      file: sample.pdf,
      level: "B-T",
      shortfall: null,
      certificateSha256: sample.sha256,
      ownAuthority: false,
      timestamp: { at: sample.at, authority: "CN=Acme TSA" },
      sendCopies: true,
      toComplete: true,
      provenUntil: null,
    },
    personal: null,
  },
});

/** `complete`: a seal is brought to the level that was not reached. `renew`: its last timestamp is followed by another. */
const AugmentationKind = z.enum(["complete", "renew"]);

/** The sealed PDF was augmented: what was sealed before is a prefix of the new file. */
export const SealAugmented = defineEvent({
  type: "SealAugmented",
  data: z.strictObject({
    kind: AugmentationKind,
    file: FileReference,
    level: z.enum(["B-B", "B-T", "B-LT", "B-LTA"]),
    shortfall: z.string().max(500).nullable(),
    toComplete: z.boolean(),
    /** The document timestamp that was added last: when, and the subject of its authority's certificate. */
    timestamp: z.strictObject({ at: IsoTime, authority: z.string().max(500) }),
    provenUntil: IsoTime,
  }),
  personal: null,
  example: {
    data: {
      kind: "complete",
      file: sample.pdf,
      level: "B-LTA",
      shortfall: null,
      toComplete: false,
      timestamp: { at: sample.at, authority: "CN=Acme TSA" },
      provenUntil: sample.at,
    },
    personal: null,
  },
});

/** Augmenting did not succeed; it is tried again at `nextAttemptAt`, or given up where that is null. */
export const SealAugmentationFailed = defineEvent({
  type: "SealAugmentationFailed",
  data: z.strictObject({
    kind: AugmentationKind,
    attempt: z.int().positive(),
    reason: z.string().max(200),
    nextAttemptAt: IsoTime.nullable(),
  }),
  personal: null,
  example: {
    data: { kind: "renew", attempt: 1, reason: "timestamp_unavailable", nextAttemptAt: sample.at },
    personal: null,
  },
});

/** Sealing did not succeed; it is tried again at `nextAttemptAt`. */
export const SealingFailed = defineEvent({
  type: "SealingFailed",
  data: z.strictObject({ attempt: z.int().positive(), reason: z.string().max(200), nextAttemptAt: IsoTime }),
  personal: null,
  example: { data: { attempt: 1, reason: "timestamp_unavailable", nextAttemptAt: sample.at }, personal: null },
});

/** For evidence from before it was recorded what its photos show. */
const showsNotRecorded = ({ data, personal }: EventContent): EventContent => ({
  data: {
    ...data,
    files: Array.isArray(data.files) ? data.files.map((file) => ({ ...file, shows: null })) : data.files,
  },
  personal,
});

/** The identity provider's audits and photos of the signers whom it checked were fetched and kept. */
export const EvidenceFetched = defineEvent({
  type: "EvidenceFetched",
  version: 3,
  upcasts: { 1: providerNotRecorded, 2: showsNotRecorded },
  data: z.strictObject({
    /** Null from before it was recorded. */
    provider: Provider.nullable(),
    /** `shows`: what a photo shows; null where the provider does not say, and for audits. */
    files: z.array(
      z.strictObject({
        signerId: Uuid,
        kind: z.enum(["audit", "photo"]),
        shows: z.enum(photoKinds).nullable(),
        file: FileReference,
      }),
    ),
  }),
  personal: null,
  example: {
    data: {
      provider: sample.provider,
      files: [{ signerId: sample.signerId, kind: "photo", shows: "selfie", file: sample.jpeg }],
    },
    personal: null,
  },
});

/** The identity provider's evidence could not be fetched; it is tried again at `nextAttemptAt`. */
export const EvidenceFetchFailed = defineEvent({
  type: "EvidenceFetchFailed",
  data: z.strictObject({ attempt: z.int().positive(), reason: z.string().max(200), nextAttemptAt: IsoTime }),
  personal: null,
  example: { data: { attempt: 1, reason: "timeout", nextAttemptAt: sample.at }, personal: null },
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
  ...addressChecked,
  data: z.strictObject({ signerId: Uuid }),
  personal: z.strictObject({ ...Origin.shape, reason: z.string() }),
  example: { data: { signerId: sample.signerId }, personal: { ...sample.origin, reason: "Wrong amount" } },
});

export const signatureEvents = [
  ConsentGiven,
  DocumentSigned,
  DocumentCompleted,
  DocumentSealed,
  SealingFailed,
  SealAugmented,
  SealAugmentationFailed,
  EvidenceFetched,
  EvidenceFetchFailed,
  ReportGenerated,
  Rejected,
] as const;

/** Whether an event tells of a sealed file: the first one, or one that was augmented. */
export const hasSealedFile = <Event extends { type: string }>(
  event: Event,
): event is Extract<Event, { type: "DocumentSealed" | "SealAugmented" }> =>
  event.type === DocumentSealed.type || event.type === SealAugmented.type;
