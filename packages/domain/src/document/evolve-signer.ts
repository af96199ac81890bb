import {
  type DocumentEvent,
  type DocumentEventOf,
  isMessageTaken,
  type Medium,
  type MessageTaken,
  type namedSigners,
  type PhotoEvent,
} from "@rubrica/events";
import type { Dated } from "../decider.ts";
import { isAsking } from "../standing/due.ts";
import { isProvidersWord, requestedSignerStanding } from "../standing/evolve-standing.ts";
import { evolvePhotos, progressOf } from "../standing/photo-progress.ts";
import { former, ownAfterContinuing, ownAfterRefusing } from "./former-messages.ts";
import { wouldBeAskedAnew } from "./resending.ts";
import type { Message, Signature, Signer } from "./state.ts";

/** An event that changes one signer. */
export type SignerEvent = Exclude<Extract<DocumentEvent, { data: { signerId: string } }>, { type: "Rejected" }>;
type MessageEvent = DocumentEventOf<
  MessageTaken["type"] | "MessageAttempted" | "MessageDelivered" | "MessageRead" | "MessageFailed"
>;

/** A signer as requested, before anything happened. */
export const requestedSigner = (signer: ReturnType<typeof namedSigners>[number]): Signer => ({
  ...requestedSignerStanding(signer),
  lineId: signer.lineId,
  placement: signer.placement,
  person: signer.person,
  personRequested: signer.person,
  formerLineIds: [],
  linkNumber: 0,
  corrections: [],
  claims: [{ id: null, queuedBehind: null }],
  messages: {},
  resends: [],
  askedAnew: [],
  hasRefused: false,
  continuedAnew: false,
  answerCount: 0,
  askedAt: null,
  remindedAt: null,
  continuedAt: null,
  pageOpenings: 0,
  photos: { selfie: [], idFront: [], idBack: [] },
  identityFailures: 0,
  checkedByProvider: false,
  consentVersion: null,
  signature: null,
});

/** What one more event of theirs changes of a signer, beside how they stand. */
export const evolveSigner = (signer: Signer, event: Dated<SignerEvent>): Signer => {
  if (isMessageTaken(event)) return withMessage(signer, event);
  switch (event.type) {
    case "SignerQueued":
      return queuedBehind(signer, event.data.behindDocumentId);
    case "SignerTurnCame":
      return signer;
    case "ResendRequested":
      return resent(signer, event);
    case "SignerCorrected":
      return corrected(signer, event);
    case "ReminderScheduled":
      return former(signer, ({ kind }) => kind === "reminder");
    case "TemplateAnswered":
      return ownAfterContinuing(signer, event);
    case "ContinueRefused":
      return ownAfterRefusing(signer, event);
    case "SigningPageOpened":
      return { ...signer, pageOpenings: signer.pageOpenings + 1 };
    case "ConsentGiven":
      return { ...signer, consentVersion: event.data.consentVersion };
    case "DocumentSigned":
      return { ...signer, signature: signatureOf(signer, event) };
    case "MessageAttempted":
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
  return { ...signer, claims };
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
  claims: [...signer.claims, { id, queuedBehind: null }],
  continuedAnew: false,
  answerCount: 0,
  askedAt: null,
  remindedAt: null,
});

/** A signer to whom everything is to be sent again. If they chose to continue, that still counts. */
const resent = (signer: Signer, event: Dated<DocumentEventOf<"ResendRequested">>): Signer => {
  const { resendId } = event.data;
  return { ...startedAnew(signer, resendId, event), resends: [...signer.resends, resendId] };
};

/** A corrected signer begins anew, by another link: what was answered by the former one counts for nobody. */
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
    hasRefused: false,
    continuedAt: null,
  };
};

/** The times from which a signer's next reminder is reckoned, after an event of one of their messages. */
const reminderTimes = (event: Dated<MessageEvent>): Partial<Signer> => {
  const at = event.metadata?.at ?? null;
  if (event.type === "MessageSent" || event.type === "SignatureLinkSent")
    return isAsking(event.data.kind) ? { askedAt: at } : {};
  const isOver =
    event.type === "MessageFailed" &&
    event.data.kind === "reminder" &&
    event.data.nextAttemptAt === null &&
    !event.data.wasTaken;
  if (event.type !== "ReminderSent" && !isOver) return {};
  return { remindedAt: at };
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
  return {
    ...signer,
    ...reminderTimes(event),
    messages: { ...signer.messages, [messageId]: evolveMessage(known, event) },
  };
};

const evolveMessage = (message: Message, event: MessageEvent): Message => {
  if (isMessageTaken(event)) {
    const providerMessageIds = [...new Set([...message.providerMessageIds, event.data.providerMessageId])];
    return { ...message, state: "sent", attempts: event.data.attempt, providerMessageIds };
  }
  switch (event.type) {
    case "MessageAttempted":
      return {
        ...tried(message, event.data.medium, event.data.attempt - 1),
        state: "attempted",
        attempts: event.data.attempt,
        provider: event.data.provider,
      };
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
  photos: evolvePhotos(signer.photos, event, (upload) => ({ ...progressOf(upload), file: upload.file })),
});

const providerSaid = (
  { identityFailures, checkedByProvider }: Signer,
  event: PhotoEvent,
): Pick<Signer, "identityFailures" | "checkedByProvider"> => {
  if (isProvidersWord(event)) return { identityFailures, checkedByProvider: true };
  return { identityFailures: event.type === "IdentityProviderFailed" ? identityFailures + 1 : 0, checkedByProvider };
};
