import { z } from "zod";
import { defineEvent, type EventOf } from "../define.ts";
import { addressChecked, Origin } from "../origin.ts";
import { FileReference, IsoTime, Provider, photoKindOf, providerNotRecorded, sample, Uuid } from "../shared.ts";

const Upload = z.strictObject({
  signerId: Uuid,
  attempt: z.int().positive(),
  file: FileReference,
  validation: z.enum(["none", "pending"]),
});
const uploadSample = { signerId: sample.signerId, attempt: 1, file: sample.jpeg, validation: "pending" as const };

export const SelfieUploaded = defineEvent({
  type: "SelfieUploaded",
  ...addressChecked,
  data: Upload,
  personal: Origin,
  example: { data: uploadSample, personal: sample.origin },
});

export const IdFrontUploaded = defineEvent({
  type: "IdFrontUploaded",
  ...addressChecked,
  data: Upload,
  personal: Origin,
  example: { data: uploadSample, personal: sample.origin },
});

export const IdBackUploaded = defineEvent({
  type: "IdBackUploaded",
  ...addressChecked,
  data: Upload,
  personal: Origin,
  example: { data: uploadSample, personal: sample.origin },
});

/** For an event that tells what the identity provider said: whose word it is, null from before that was recorded. */
const ofProvider = { version: 2, upcasts: { 1: providerNotRecorded } };

const validation = {
  signerId: Uuid,
  provider: Provider.nullable(),
  attempt: z.int().positive(),
  result: z.enum(["approved", "rejected"]),
  reason: z.string().max(200).nullable(),
};
const validationSample = {
  signerId: sample.signerId,
  provider: sample.provider,
  attempt: 1,
  result: "approved" as const,
  reason: null,
};

/** The identity provider's word on a selfie. */
export const SelfieValidated = defineEvent({
  type: "SelfieValidated",
  ...ofProvider,
  data: z.strictObject(validation),
  personal: null,
  example: { data: validationSample, personal: null },
});

/** The identity provider's word on one side of the identity document. */
export const IdDocumentValidated = defineEvent({
  type: "IdDocumentValidated",
  ...ofProvider,
  data: z.strictObject({ ...validation, side: z.enum(["front", "back"]) }),
  personal: null,
  example: { data: { ...validationSample, side: "front" }, personal: null },
});

/**
 * The machine-readable zone agrees with the requested signer, or not. `attempt` counts the sets of photos that were
 * checked: one more with each photo that was taken anew.
 */
export const MrzValidated = defineEvent({
  type: "MrzValidated",
  ...ofProvider,
  data: z.strictObject(validation),
  personal: null,
  example: { data: validationSample, personal: null },
});

const failure = {
  signerId: Uuid,
  provider: Provider.nullable(),
  attempt: z.int().positive(),
  reason: z.string().max(200),
};
const failureSample = { signerId: sample.signerId, provider: sample.provider, attempt: 1, reason: "unreadable" };

/** The identity document can't be used: unreadable, expired, of somebody else. `attempt` counts as for MrzValidated. */
export const IdDocumentErrorFound = defineEvent({
  type: "IdDocumentErrorFound",
  ...ofProvider,
  data: z.strictObject(failure),
  personal: null,
  example: { data: failureSample, personal: null },
});

/**
 * The identity provider could not be asked, for the `attempt`-th time about these photos; `nextAttemptAt` is null when it
 * won't be asked about them again.
 */
export const IdentityProviderFailed = defineEvent({
  type: "IdentityProviderFailed",
  ...ofProvider,
  data: z.strictObject({ ...failure, nextAttemptAt: IsoTime.nullable() }),
  personal: null,
  example: { data: { ...failureSample, reason: "timeout", nextAttemptAt: sample.at }, personal: null },
});

/** The identity provider refused the signer. `attempt` counts as for MrzValidated. */
export const IdentityProviderRejected = defineEvent({
  type: "IdentityProviderRejected",
  ...ofProvider,
  data: z.strictObject(failure),
  personal: null,
  example: { data: { ...failureSample, reason: "face_mismatch" }, personal: null },
});

export const photoEvents = [
  SelfieUploaded,
  IdFrontUploaded,
  IdBackUploaded,
  SelfieValidated,
  IdDocumentValidated,
  MrzValidated,
  IdDocumentErrorFound,
  IdentityProviderFailed,
  IdentityProviderRejected,
] as const;

/** An event that tells of a signer's photos. */
export type PhotoEvent = EventOf<(typeof photoEvents)[number]>;

/** A photo came. */
export type PhotoUploaded = Extract<PhotoEvent, { type: keyof typeof photoKindOf }>;

const photoTypes: ReadonlySet<string> = new Set(photoEvents.map(({ type }) => type));

/** Whether an event tells of a signer's photos. */
export const isPhotoEvent = <Event extends { type: string }>(
  event: Event,
): event is Extract<Event, { type: PhotoEvent["type"] }> => photoTypes.has(event.type);

/** Whether an event tells that a photo came. */
export const isPhotoUploaded = <Event extends { type: string }>(
  event: Event,
): event is Extract<Event, { type: PhotoUploaded["type"] }> => Object.hasOwn(photoKindOf, event.type);
