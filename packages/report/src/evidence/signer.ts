import { consentOf, photoKinds, type Signer } from "@rubrica/domain";
import { type DocumentEvent, type FileReference, isPhotoUploaded, type Provider, photoKindOf } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";
import type {
  CheckEvidence,
  ConsentEvidence,
  CorrectionEvidence,
  OriginEvidence,
  PhotoEvidence,
  PictureEvidence,
  SignerEvidence,
} from "./evidence.ts";
import { stepsOf } from "./steps.ts";

/** A document event as it was recorded. */
export type Recorded = JournalEvent<DocumentEvent>;
type OfType<Type extends DocumentEvent["type"]> = Extract<Recorded, { type: Type }>;

const first = <Type extends DocumentEvent["type"]>(
  events: readonly Recorded[],
  type: Type,
  test: (event: OfType<Type>) => boolean = () => true,
): OfType<Type> | undefined =>
  events.find((event): event is OfType<Type> => event.type === type && test(event as OfType<Type>));

const atOf = (event: Recorded | undefined): string | null => event?.metadata.at ?? null;

/** What a signer's own events tell. */
export const eventsOfSigner = (events: readonly Recorded[], signerId: string): Recorded[] =>
  events.filter(({ data }) => "signerId" in data && data.signerId === signerId);

/** From where the signer signed or rejected; else from where they were seen last. */
const originOf = (events: readonly Recorded[]): OriginEvidence | null => {
  const signed = first(events, "DocumentSigned");
  const rejected = first(events, "Rejected");
  const seen = signed ?? rejected ?? events.findLast(({ personal }) => personal !== null && "ip" in personal);
  const personal = seen?.personal;
  if (!personal || !("ip" in personal)) return null;
  const act = signed ? "signed" : rejected ? "rejected" : "seen";
  return { ip: personal.ip, userAgent: personal.userAgent, act };
};

const consentEvidence = (events: readonly Recorded[]): ConsentEvidence | null => {
  const given = first(events, "ConsentGiven");
  if (!given) return null;
  const { consentVersion: version, documentSha256 } = given.data;
  return { at: given.metadata.at, version, text: consentOf(version)?.text ?? null, documentSha256 };
};

const checkOf = (event: Recorded): CheckEvidence | null => {
  const { at } = event.metadata;
  const provider = "provider" in event.data ? event.data.provider : null;
  switch (event.type) {
    case "SelfieValidated": {
      const { attempt, result, reason } = event.data;
      return { at, check: "selfie", attempt, result, reason, provider };
    }
    case "IdDocumentValidated": {
      const { attempt, result, reason, side } = event.data;
      return { at, check: side === "front" ? "idFront" : "idBack", attempt, result, reason, provider };
    }
    case "MrzValidated": {
      const { attempt, result, reason } = event.data;
      return { at, check: "mrz", attempt, result, reason, provider };
    }
    case "IdDocumentErrorFound":
      return { at, check: "idDocumentError", ...failure(event.data), result: "failed", provider };
    case "IdentityProviderFailed":
      return { at, check: "providerFailure", ...failure(event.data), result: "failed", provider };
    case "IdentityProviderRejected":
      return { at, check: "providerRejection", ...failure(event.data), result: "rejected", provider };
    default:
      return null;
  }
};

const failure = ({ attempt, reason }: { attempt: number; reason: string }) => ({ attempt, reason });

const correctionsOf = (events: readonly Recorded[]): CorrectionEvidence[] =>
  events.flatMap((event) => {
    if (event.type !== "SignerCorrected") return [];
    const { data, personal, metadata, revision } = event;
    const changes = data.fields.map((field) => ({
      field,
      before: personal?.before[field] ?? null,
      after: personal?.after[field] ?? null,
    }));
    const formerName = personal?.before.name ?? null;
    return [{ revision: Number(revision), at: metadata.at, by: data.by, changes, formerName }];
  });

/** What a signer was sent before they were corrected reached another person, or another phone. */
const sinceCorrected = (events: readonly Recorded[]): readonly Recorded[] =>
  events.slice(events.findLastIndex(({ type }) => type === "SignerCorrected") + 1);

/** How a signer's pictures are looked at: as ones to be shown, or only for whether they are intact. */
export type LookAt = (file: FileReference, toBeShown: boolean) => Promise<PictureEvidence>;

const photosOf = async (signer: Signer, events: readonly Recorded[], lookAt: LookAt): Promise<PhotoEvidence[]> => {
  const photos: PhotoEvidence[] = [];
  for (const event of events) {
    if (!isPhotoUploaded(event)) continue;
    const kind = photoKindOf[event.type];
    const { attempt, file } = event.data;
    const counts = signer.photos[kind].at(-1)?.attempt === attempt;
    photos.push({ ...(await lookAt(file, counts)), kind, attempt, uploadedAt: event.metadata.at, counts });
  }
  return photos.sort((a, b) => photoKinds.indexOf(a.kind) - photoKinds.indexOf(b.kind) || a.attempt - b.attempt);
};

/** All that the service itself knows of one signer. `events` are the signer's own, in order. */
export const signerEvidence = async (
  signer: Signer,
  events: readonly Recorded[],
  providers: ReadonlyMap<Recorded, Provider | null>,
  lookAt: LookAt,
): Promise<Omit<SignerEvidence, "provider" | "askedWith">> => ({
  number: signer.order + 1,
  signerId: signer.signerId,
  person: signer.person,
  signedAt: signer.signature?.at ?? null,
  rejectedAt: atOf(first(events, "Rejected")),
  timeZone: signer.signature?.timeZone ?? null,
  origin: originOf(events),
  corrections: correctionsOf(events),
  steps: stepsOf(sinceCorrected(events), providers),
  signedSha256: first(events, "DocumentSigned")?.data.documentSha256 ?? null,
  consent: consentEvidence(events),
  method: signer.signature?.method ?? null,
  drawing: signer.signature ? await lookAt(signer.signature.drawingJpeg, true) : null,
  photos: await photosOf(signer, events, lookAt),
  checks: events.map(checkOf).filter((check) => check !== null),
});
