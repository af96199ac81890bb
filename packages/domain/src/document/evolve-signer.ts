import type { DocumentEvent } from "@rubrica/events";
import type { Dated } from "../decider.ts";
import type { DocumentEventOf, Message, Photo, PhotoKind, Signature, Signer, SignerPerson } from "./state.ts";

/** An event that changes one signer. */
export type SignerEvent = Exclude<
  DocumentEvent,
  {
    type:
      | "DocumentRequested"
      | "DocumentPrepared"
      | "PreparationFailed"
      | "DocumentCompleted"
      | "DocumentSealed"
      | "SealingFailed"
      | "EvidenceFetched"
      | "ReportGenerated"
      | "Rejected";
  }
>;
type MessageEvent = DocumentEventOf<
  "MessageAttempted" | "MessageSent" | "SignatureLinkSent" | "MessageDelivered" | "MessageRead" | "MessageFailed"
>;
type IdentityEvent = DocumentEventOf<
  | "SelfieUploaded"
  | "IdFrontUploaded"
  | "IdBackUploaded"
  | "SelfieValidated"
  | "IdDocumentValidated"
  | "MrzValidated"
  | "IdDocumentErrorFound"
  | "IdentityProviderFailed"
  | "IdentityProviderRejected"
>;

/** A signer as requested, before anything happened. */
export const requestedSigner = (
  signer: DocumentEventOf<"DocumentRequested">["data"]["signers"][number],
  person: SignerPerson | null,
): Signer => ({
  ...signer,
  person,
  turn: "waiting",
  queuedBehind: null,
  messages: {},
  undeliverable: false,
  answers: { continue: false, refusal: false },
  pageOpenings: 0,
  photos: { selfie: [], idFront: [], idBack: [] },
  identityRefused: false,
  identityWords: [],
  consentVersion: null,
  signed: null,
});

/** A signer after one more event of theirs. */
export const evolveSigner = (signer: Signer, event: Dated<SignerEvent>): Signer => {
  switch (event.type) {
    case "SignerQueued":
      return { ...signer, turn: "queued", queuedBehind: event.data.behindDocumentId };
    case "SignerTurnCame":
      return { ...signer, turn: "came" };
    case "TemplateAnswered":
      return { ...signer, answers: { ...signer.answers, continue: true } };
    case "ContinueRefused":
      return { ...signer, answers: { ...signer.answers, refusal: true } };
    case "SigningPageOpened":
      return { ...signer, pageOpenings: signer.pageOpenings + 1 };
    case "ConsentGiven":
      return { ...signer, consentVersion: event.data.consentVersion };
    case "DocumentSigned":
      return { ...signer, signed: signatureOf(signer, event) };
    case "MessageAttempted":
    case "MessageSent":
    case "SignatureLinkSent":
    case "MessageDelivered":
    case "MessageRead":
    case "MessageFailed":
      return withMessage(signer, event);
    default:
      return withIdentity(signer, event);
  }
};

const signatureOf = (
  { consentVersion }: Signer,
  { data, metadata }: Dated<DocumentEventOf<"DocumentSigned">>,
): Signature => ({
  at: metadata?.at ?? null,
  consentVersion: consentVersion ?? "",
  drawing: data.drawing,
  drawingJpeg: data.drawingJpeg,
  timeZone: data.timeZone,
});

const withMessage = (signer: Signer, event: MessageEvent): Signer => {
  const { messageId, kind } = event.data;
  const known: Message = signer.messages[messageId] ?? {
    messageId,
    kind,
    attempts: 0,
    state: "attempted",
    providerMessageIds: [],
    delivered: false,
    read: false,
  };
  const givenUp = event.type === "MessageFailed" && event.data.nextAttemptAt === null;
  return {
    ...signer,
    messages: { ...signer.messages, [messageId]: evolveMessage(known, event) },
    undeliverable: signer.undeliverable || givenUp,
  };
};

const evolveMessage = (message: Message, event: MessageEvent): Message => {
  switch (event.type) {
    case "MessageAttempted":
      return { ...message, state: "attempted", attempts: event.data.attempt };
    case "MessageSent":
    case "SignatureLinkSent": {
      const providerMessageIds = [...message.providerMessageIds, event.data.providerMessageId];
      return { ...message, state: "sent", attempts: event.data.attempt, providerMessageIds };
    }
    case "MessageDelivered":
      return { ...message, state: "sent", delivered: true };
    case "MessageRead":
      return { ...message, state: "sent", read: true };
    case "MessageFailed":
      return { ...message, state: event.data.nextAttemptAt === null ? "undeliverable" : "failed" };
    default:
      return event satisfies never;
  }
};

const withIdentity = (signer: Signer, event: IdentityEvent): Signer => {
  switch (event.type) {
    case "SelfieUploaded":
      return withPhoto(signer, "selfie", event);
    case "IdFrontUploaded":
      return withPhoto(signer, "idFront", event);
    case "IdBackUploaded":
      return withPhoto(signer, "idBack", event);
    case "SelfieValidated":
      return withValidation(signer, "selfie", event);
    case "IdDocumentValidated":
      return withValidation(signer, event.data.side === "front" ? "idFront" : "idBack", event);
    case "MrzValidated":
      return withWord(signer, event, event.data.result === "rejected");
    case "IdDocumentErrorFound":
    case "IdentityProviderRejected":
      return withWord(signer, event, true);
    case "IdentityProviderFailed":
      return withWord(signer, event, false);
    default:
      return event satisfies never;
  }
};

const withPhoto = (
  signer: Signer,
  kind: PhotoKind,
  { data: { attempt, file, validation } }: DocumentEventOf<"SelfieUploaded" | "IdFrontUploaded" | "IdBackUploaded">,
): Signer => {
  const photo: Photo = { attempt, file, validation, reason: null };
  // New pictures are a new try: what was held against the former ones no longer counts.
  return { ...signer, identityRefused: false, photos: { ...signer.photos, [kind]: [...signer.photos[kind], photo] } };
};

const withValidation = (
  signer: Signer,
  kind: PhotoKind,
  { data: { attempt, result, reason } }: DocumentEventOf<"SelfieValidated" | "IdDocumentValidated">,
): Signer => {
  const photos = signer.photos[kind].map((photo) =>
    photo.attempt === attempt ? { ...photo, validation: result, reason } : photo,
  );
  return { ...signer, photos: { ...signer.photos, [kind]: photos } };
};

const withWord = (
  signer: Signer,
  event: DocumentEventOf<
    "MrzValidated" | "IdDocumentErrorFound" | "IdentityProviderFailed" | "IdentityProviderRejected"
  >,
  against: boolean,
): Signer => ({
  ...signer,
  identityRefused: signer.identityRefused || against,
  identityWords: [...signer.identityWords, identityWord(event.type, event.data.attempt)],
});

/** How a word of the identity provider is remembered. */
export const identityWord = (type: string, attempt: number): string => `${type}/${attempt}`;
