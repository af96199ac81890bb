import {
  canSign,
  currentConsent,
  hasEnded,
  lastPhoto,
  otherAccountName,
  type PhotoKind,
  type RequestedDocument,
  type Signer,
} from "@rubrica/domain";
import { timeZoneOfPhone } from "@rubrica/identity";
import { z } from "zod";
import { overviewExample } from "./examples.ts";
import type { SigningSession } from "./session.ts";

/** What became of a photo. */
export const PhotoState = z.object({
  state: z
    .enum(["missing", "pending", "approved", "rejected"])
    .describe("`pending` until it is validated; `rejected`: to be taken anew"),
  attempt: z.int().describe("How many of its kind were taken"),
  reason: z.string().nullable().describe("Why it was rejected, as a word: `blurred`, `expired`, `face_mismatch` …"),
});

/** What the signing page shows. */
export const Overview = z
  .object({
    document_name: z.string(),
    business_name: z.string(),
    account_name: z
      .string()
      .nullable()
      .describe(
        "The registered name of the account that asks, where `business_name` is another; null where it is not.",
      ),
    signer: z.object({ name: z.string(), dni: z.string() }),
    status: z.enum(["pending", "signed", "rejected", "ended"]),
    page_count: z.int().nullable(),
    document_sha256: z.string().nullable(),
    request_photos: z.boolean(),
    photos: z.object({ selfie: PhotoState, dni_frontal: PhotoState, dni_trasera: PhotoState }),
    can_sign: z.boolean(),
    consent: z.object({ version: z.string(), text: z.string() }),
    expires_at: z
      .string()
      .optional()
      .describe("Until when it can be signed, ISO 8601, UTC; missing where it has no end"),
    time_zone: z
      .string()
      .optional()
      .describe(
        "IANA, by which `expires_at` is shown: the request's, or that of the phone's country; missing where `expires_at` is",
      ),
    end: z
      .object({
        kind: z.enum(["rejected", "canceled", "expired"]),
        at: z.string().describe("ISO 8601, UTC"),
        reason: z.string().nullable().describe("Of who canceled it, in their words; null without one"),
      })
      .optional()
      .describe("How the document ended, where `status` does not tell; missing else"),
  })
  .meta({ examples: [overviewExample] })
  .describe("The document as it stands for this signer.");

const statusOf = (document: RequestedDocument, signer: Signer): z.infer<typeof Overview>["status"] => {
  if (signer.signed) return "signed";
  if (document.status === "rejected") return document.rejection.signerId === signer.signerId ? "rejected" : "ended";
  return hasEnded(document) ? "ended" : "pending";
};

type End = NonNullable<z.infer<typeof Overview>["end"]>;

/** How the document ended. A rejection is told to signers who have signed; the others see it by their own status. */
const endOf = (document: RequestedDocument, signer: Signer): { end?: End } => {
  if (!("endedAt" in document) || document.endedAt === null) return {};
  const { endedAt: at } = document;
  if (document.status === "rejected") return signer.signed ? { end: { kind: "rejected", at, reason: null } } : {};
  if (document.status !== "withdrawn" || document.withdrawal === "erasure") return {};
  return { end: { kind: document.withdrawal, at, reason: document.takenBack.text } };
};

/** The signer's last photo of a kind, as the API shows it. */
export const photoState = (signer: Signer, kind: PhotoKind): z.infer<typeof PhotoState> => {
  const photo = lastPhoto(signer, kind);
  if (!photo) return { state: "missing", attempt: 0, reason: null };
  // Where photos are not validated, having one is enough.
  const state = photo.validation === "none" ? "approved" : photo.validation;
  return { state, attempt: photo.attempt, reason: photo.reason };
};

/** The document as its signer sees it. */
export const overviewOf = ({ document, signer, person, texts }: SigningSession): z.infer<typeof Overview> => ({
  document_name: texts.documentName,
  business_name: texts.businessName,
  account_name: otherAccountName(document),
  signer: { name: person.name, dni: person.idNumber },
  status: statusOf(document, signer),
  page_count: "pageCount" in document ? document.pageCount : null,
  document_sha256: "file" in document ? (document.file?.sha256 ?? null) : null,
  request_photos: document.requestPhotos,
  photos: {
    selfie: photoState(signer, "selfie"),
    dni_frontal: photoState(signer, "idFront"),
    dni_trasera: photoState(signer, "idBack"),
  },
  can_sign: canSign(document, signer.signerId),
  consent: { ...currentConsent },
  ...(document.expiresAt === null
    ? {}
    : { expires_at: document.expiresAt, time_zone: document.timeZone ?? timeZoneOfPhone(person.phone) }),
  ...endOf(document, signer),
});
