import { z } from "zod";
import { defineEvent } from "../define.ts";
import { Origin, ofOrigin } from "../origin.ts";
import { FileReference, IsoTime, Provider, providerNotRecorded, Sha256, sample, Uuid } from "../shared.ts";

/** The signer agreed to sign this very file electronically. */
export const ConsentGiven = defineEvent({
  type: "ConsentGiven",
  ...ofOrigin,
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
  ...ofOrigin,
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
  version: 2,
  upcasts: { 1: ({ data, personal }) => ({ data: { ...data, ownAuthority: null, timestamp: null }, personal }) },
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
    },
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

/** The identity provider's audits and photos of the signers whom it checked were fetched and kept. */
export const EvidenceFetched = defineEvent({
  type: "EvidenceFetched",
  version: 2,
  upcasts: { 1: providerNotRecorded },
  data: z.strictObject({
    /** Null from before it was recorded. */
    provider: Provider.nullable(),
    files: z.array(z.strictObject({ signerId: Uuid, kind: z.enum(["audit", "photo"]), file: FileReference })),
  }),
  personal: null,
  example: {
    data: { provider: sample.provider, files: [{ signerId: sample.signerId, kind: "photo", file: sample.jpeg }] },
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
  ...ofOrigin,
  data: z.strictObject({ signerId: Uuid }),
  personal: z.strictObject({ ...Origin.shape, reason: z.string() }),
  example: { data: { signerId: sample.signerId }, personal: { ...sample.origin, reason: "Wrong amount" } },
});
