import type { DocumentEvent, Medium } from "@rubrica/events";
import type { Dated } from "../decider.ts";
import { continued, refused } from "./answers.ts";
import { isAsking } from "./due.ts";
import { former } from "./former-messages.ts";
import { evolvePhotos, type PhotoEvent } from "./photo-progress.ts";
import { wouldBeAskedAnew } from "./resending.ts";
import type { DocumentEventOf, Message, Signature, Signer, SignerPerson } from "./state.ts";

/** An event that changes one signer. */
export type SignerEvent = Exclude<
  DocumentEvent,
  {
    type:
      | "DocumentRequested"
      | "DocumentPrepared"
      | "PreparationFailed"
      | "DocumentExpiryChanged"
      | "DocumentCompleted"
      | "DocumentSealed"
      | "SealingFailed"
      | "SealAugmented"
      | "SealAugmentationFailed"
      | "EvidenceFetched"
      | "EvidenceFetchFailed"
      | "ReportGenerated"
      | "Rejected"
      | "DocumentWithdrawn"
      | "DocumentErased"
      | "DocumentForgotten";
  }
>;
type MessageEvent = DocumentEventOf<
  | "MessageAttempted"
  | "MessageSent"
  | "SignatureLinkSent"
  | "SignedCopySent"
  | "CancellationSent"
  | "RefusalExplained"
  | "ReminderSent"
  | "MessageDelivered"
  | "MessageRead"
  | "MessageFailed"
>;
/** A signer as requested, before anything happened. */
export const requestedSigner = (
  signer: DocumentEventOf<"DocumentRequested">["data"]["signers"][number],
  person: SignerPerson | null,
): Signer => ({
  ...signer,
  person,
  personRequested: person,
  formerLineIds: [],
  linkNumber: 0,
  corrections: [],
  turn: "waiting",
  isOutOfTurn: false,
  claims: [{ id: null, queuedBehind: null }],
  messages: {},
  resends: [],
  askedAnew: [],
  undeliverable: false,
  answers: { continue: false, refusal: false },
  lastAnswer: null,
  continuedAnew: false,
  refused: false,
  refusals: 0,
  refusedAt: null,
  refusalExplained: false,
  deliveredAt: null,
  askedAt: null,
  remindedAt: null,
  reminders: 0,
  nextReminder: null,
  holdOver: null,
  continuedAt: null,
  pageOpenings: 0,
  photos: { selfie: [], idFront: [], idBack: [] },
  identityFailures: 0,
  checkedByProvider: false,
  consentVersion: null,
  signed: null,
});

/** A signer after one more event of theirs. */
export const evolveSigner = (signer: Signer, event: Dated<SignerEvent>): Signer => {
  switch (event.type) {
    case "SignerQueued":
      return queuedBehind(signer, event.data.behindDocumentId);
    case "SignerTurnCame":
      return { ...signer, turn: "came", isOutOfTurn: event.data.lineId === null };
    case "ResendRequested":
      return resent(signer, event);
    case "SignerCorrected":
      return corrected(signer, event);
    case "ReminderScheduled":
      return { ...former(signer, ({ kind }) => kind === "reminder"), nextReminder: { dueAt: event.data.dueAt } };
    case "TemplateAnswered":
      return continued(signer, event);
    case "ContinueRefused":
      return refused(signer, event);
    case "SigningPageOpened":
      return { ...signer, pageOpenings: signer.pageOpenings + 1 };
    case "ConsentGiven":
      return { ...signer, consentVersion: event.data.consentVersion };
    case "DocumentSigned":
      return { ...signer, signed: signatureOf(signer, event) };
    case "MessageAttempted":
    case "MessageSent":
    case "SignatureLinkSent":
    case "SignedCopySent":
    case "CancellationSent":
    case "RefusalExplained":
    case "ReminderSent":
    case "MessageDelivered":
    case "MessageRead":
    case "MessageFailed":
      return withMessage(signer, event);
    default:
      return withPhotos(signer, event);
  }
};

/** What the last claim of their phone came to, the first time that it waits. */
const queuedBehind = (signer: Signer, documentId: string): Signer => {
  const last = signer.claims.length - 1;
  const claims = signer.claims.map((claim, index) =>
    index === last ? { ...claim, queuedBehind: claim.queuedBehind ?? documentId } : claim,
  );
  return { ...signer, turn: "queued", claims };
};

/** The signer, of whom nobody knows any more who they are. */
export const namelessSigner = (signer: Signer): Signer => ({
  ...signer,
  person: null,
  personRequested: null,
  corrections: signer.corrections.map((correction) => ({ ...correction, person: null })),
});

/** The signer as they begin anew: what they were sent before counts no more. */
const startedAnew = (signer: Signer, id: string, { metadata }: Dated<SignerEvent>): Signer => ({
  ...former(signer),
  askedAnew: wouldBeAskedAnew(signer) ? [...signer.askedAnew, metadata?.at ?? null] : signer.askedAnew,
  turn: "waiting",
  isOutOfTurn: false,
  claims: [...signer.claims, { id, queuedBehind: null }],
  undeliverable: false,
  continuedAnew: false,
  refused: false,
  refusals: 0,
  refusedAt: null,
  refusalExplained: false,
  deliveredAt: null,
  askedAt: null,
  remindedAt: null,
  nextReminder: null,
});

/** Who is to be sent anew what they were sent: that they continued counts still. */
const resent = (signer: Signer, event: Dated<DocumentEventOf<"ResendRequested">>): Signer => {
  const { resendId } = event.data;
  return { ...startedAnew(signer, resendId, event), resends: [...signer.resends, resendId] };
};

/** Who was corrected begins anew, by another link: whoever was asked before them answers for nobody. */
const corrected = (signer: Signer, event: Dated<DocumentEventOf<"SignerCorrected">>): Signer => {
  const { data, personal } = event;
  const { correctionId, linkNumber, formerLineId, lineId } = data;
  const lines = new Set([...signer.formerLineIds, ...(formerLineId === null ? [] : [formerLineId])]);
  const person = personal?.after ?? null;
  return {
    ...startedAnew(signer, correctionId, event),
    person,
    lineId,
    formerLineIds: [...lines].filter((former) => former !== lineId),
    linkNumber,
    corrections: [...signer.corrections, { correctionId, linkNumber, person }],
    answers: { continue: false, refusal: false },
    lastAnswer: null,
    continuedAt: null,
    reminders: 0,
  };
};

/** What of a signer tells when they are reminded, after an event of one of their messages. */
const reminded = (signer: Signer, event: Dated<MessageEvent>): Partial<Signer> => {
  const at = event.metadata?.at ?? null;
  if (event.type === "MessageSent" || event.type === "SignatureLinkSent")
    return isAsking(event.data.kind) ? { askedAt: at } : {};
  const isOver = event.type === "MessageFailed" && event.data.kind === "reminder" && event.data.nextAttemptAt === null;
  if (event.type !== "ReminderSent" && !isOver) return {};
  return { remindedAt: at, reminders: signer.reminders + 1, nextReminder: null };
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
  method: data.method,
});

const withMessage = (signer: Signer, event: Dated<MessageEvent>): Signer => {
  const { messageId, kind } = event.data;
  const known: Message = signer.messages[messageId] ?? {
    messageId,
    kind,
    provider: null,
    linkNumber: signer.linkNumber,
    medium: "medium" in event.data ? event.data.medium : "wpp",
    isFormer: false,
    attempts: 0,
    formerAttempts: 0,
    state: "attempted",
    providerMessageIds: [],
    delivered: false,
    read: false,
    lastFailure: null,
  };
  const givenUp =
    event.type === "MessageFailed" && event.data.nextAttemptAt === null && isAsking(kind) && !known.isFormer;
  const arrived = event.type === "MessageDelivered" && kind === "template" && !known.isFormer;
  return {
    ...signer,
    ...reminded(signer, event),
    deliveredAt: signer.deliveredAt ?? (arrived ? (event.metadata?.at ?? null) : null),
    messages: { ...signer.messages, [messageId]: evolveMessage(known, event) },
    undeliverable: signer.undeliverable || givenUp,
  };
};

const evolveMessage = (message: Message, event: MessageEvent): Message => {
  switch (event.type) {
    case "MessageAttempted":
      return {
        ...tried(message, event.data.medium, event.data.attempt - 1),
        state: "attempted",
        attempts: event.data.attempt,
        provider: event.data.provider,
      };
    case "MessageSent":
    case "SignatureLinkSent":
    case "SignedCopySent":
    case "CancellationSent":
    case "RefusalExplained":
    case "ReminderSent": {
      const providerMessageIds = [...new Set([...message.providerMessageIds, event.data.providerMessageId])];
      return { ...message, state: "sent", attempts: event.data.attempt, providerMessageIds };
    }
    case "MessageDelivered":
      return { ...message, state: "sent", delivered: true };
    case "MessageRead":
      return { ...message, state: "sent", read: true };
    case "MessageFailed": {
      const { reason: lastFailure, attempt, nextAttemptAt, nextMedium } = event.data;
      const state = nextAttemptAt === null ? "undeliverable" : "failed";
      return { ...tried(message, nextMedium ?? message.medium, attempt), lastFailure, state };
    }
    default:
      return event satisfies never;
  }
};

/** The message with the medium by which it is tried now. Where that is another one, the attempts so far were by former media. */
const tried = (message: Message, medium: Medium, attemptsBefore: number): Message =>
  message.medium === medium ? message : { ...message, medium, formerAttempts: attemptsBefore };

const withPhotos = (signer: Signer, event: PhotoEvent): Signer => ({
  ...signer,
  ...providerSaid(signer, event),
  photos: evolvePhotos(signer.photos, event, ({ attempt, file, validation }) => ({
    attempt,
    file,
    validation,
    reason: null,
  })),
});

const providerSaid = (
  { identityFailures, checkedByProvider }: Signer,
  { type }: PhotoEvent,
): Pick<Signer, "identityFailures" | "checkedByProvider"> => {
  switch (type) {
    case "SelfieUploaded":
    case "IdFrontUploaded":
    case "IdBackUploaded":
      return { identityFailures: 0, checkedByProvider };
    case "IdentityProviderFailed":
      return { identityFailures: identityFailures + 1, checkedByProvider };
    default:
      return { identityFailures, checkedByProvider: true };
  }
};
