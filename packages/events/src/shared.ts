import { z } from "zod";
import type { EventContent } from "./define.ts";

/** Lower-case hex SHA-256. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A file of the file store: hash and size of its plain bytes. */
export const FileReference = z.strictObject({
  sha256: Sha256,
  size: z.int().nonnegative(),
  mediaType: z.string().max(100),
});
export type FileReference = z.infer<typeof FileReference>;

/** UTC, ISO 8601 with milliseconds, ending in `Z`. */
export const IsoTime = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

export const Uuid = z.uuid();

/** A phone line: hex HMAC of account and phone. */
export const LineId = z.string().regex(/^[0-9a-f]{64}$/);

/** What a signer is asked to take a picture of: themselves, and both sides of the identity document. */
export const photoKinds = ["selfie", "idFront", "idBack"] as const;
export type PhotoKind = (typeof photoKinds)[number];

/** The event that tells of a photo's upload, by what the photo is of. */
export const photoUploads = { selfie: "SelfieUploaded", idFront: "IdFrontUploaded", idBack: "IdBackUploaded" } as const;
/** What the photo is of whose upload an event tells. */
export const photoKindOf = { SelfieUploaded: "selfie", IdFrontUploaded: "idFront", IdBackUploaded: "idBack" } as const;

/**
 * Where a signature is drawn: on every page, the last one, or one by its number from 1; pixels at 72 per inch from the top
 * left of the page as seen, to the top left of the signature's box. On a page that is smaller than the box, the box is
 * scaled down to fit.
 */
export const Placement = z.strictObject({
  pages: z.union([z.int().positive(), z.literal("all"), z.literal("last")]),
  x: z.int(),
  y: z.int(),
});
export type Placement = z.infer<typeof Placement>;

export const WebhookType = z.enum([
  "alert",
  "report",
  "msg",
  "rejection",
  "canceled",
  "expired",
  "no_continue",
  "signer_signed",
  "page_opened",
]);
/** What a webhook tells. */
export type WebhookType = z.infer<typeof WebhookType>;

/** What integrators are told of who chose nothing else. */
export const DEFAULT_WEBHOOK_TYPES = ["alert", "report", "msg", "rejection"] as const satisfies readonly WebhookType[];

/** The kinds of webhooks that an account wants, each once. */
export const WebhookTypes = z.array(WebhookType).refine((types) => new Set(types).size === types.length);

export const Plan = z.enum(["basic", "pro"]);
export type Plan = z.infer<typeof Plan>;

/** When signers are reminded who were asked and have not signed: hours after the message, hours between, how often. */
export const Reminders = z.strictObject({
  afterHours: z.int().positive(),
  everyHours: z.int().positive(),
  max: z.int().positive(),
});
export type Reminders = z.infer<typeof Reminders>;

/** How the signer proves who they are: photos validated, photos taken, or the personal link alone. */
export const Authentication = z.enum(["biometric", "photos", "link"]);
export type Authentication = z.infer<typeof Authentication>;

/** Who reaches signers, or checks them, for the service: by a name for readers, and whether all that it says is simulated. */
export const Provider = z.strictObject({ name: z.string().min(1).max(100), simulated: z.boolean() });
export type Provider = z.infer<typeof Provider>;

/** Upcasts an event from before its provider was recorded. */
export const providerNotRecorded = ({ data, personal }: EventContent): EventContent => ({
  data: { ...data, provider: null },
  personal,
});

/**
 * What a signer is reached by: the messaging app, whose name in the API is `wpp` (the simulator stands for it), text
 * messages, or e-mail.
 */
export const Medium = z.enum(["wpp", "sms", "email"]);
export type Medium = z.infer<typeof Medium>;

const id = (last: string) => `019aa5c0-0000-7000-8000-${last.padStart(12, "0")}`;

/** Made-up values for the catalogue's examples. */
export const sample = {
  documentId: id("d1"),
  otherDocumentId: id("d2"),
  signerId: id("51"),
  accountId: id("a1"),
  teamId: id("71"),
  bulkId: id("b1"),
  keyId: id("e1"),
  grantId: id("c1"),
  lineId: "4f".repeat(32),
  sha256: "9f".repeat(32),
  at: "2026-11-21T15:04:05.000Z",
  pdf: { sha256: "9f".repeat(32), size: 102_400, mediaType: "application/pdf" },
  png: { sha256: "ab".repeat(32), size: 5_120, mediaType: "image/png" },
  jpeg: { sha256: "cd".repeat(32), size: 204_800, mediaType: "image/jpeg" },
  provider: { name: "Acme Identity", simulated: false },
  origin: { ip: "203.0.113.7", userAgent: "Mozilla/5.0 (iPhone)" },
};

type Json = z.core.util.JSONType;

// Rows of bulk calls have tens of thousands of entries: a loop takes a third of the time that `Object.values` does.
const isJson = (value: unknown): value is Json => {
  if (typeof value === "number") return Number.isFinite(value);
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (Array.isArray(value)) return value.every(isJson);
  if (typeof value !== "object") return false;
  for (const key in value) if (!isJson(value[key as keyof typeof value])) return false;
  return true;
};

/**
 * An object of JSON, as integrators give them: tens of thousands of entries, which a schema for each would take ten times
 * as long to look at.
 */
export const JsonRecord = z.custom<Record<string, Json>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value) && isJson(value),
  "must be an object of JSON",
);
