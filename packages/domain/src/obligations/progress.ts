import type { MessageKind } from "@rubrica/events";
import { isRefusalExplained, lastAnswerAfter } from "../document/answers.ts";
import { owedAugmentation } from "../document/augmentation.ts";
import { EVIDENCE_ATTEMPTS, isAsking } from "../document/due.ts";
import { evolvePhotos, isPhotoEvent, type PhotoEvent } from "../document/photo-progress.ts";
import type { ObligationsRecord, ObligingEvent, SignerProgress } from "./record.ts";
import { receiverOf } from "./webhooks.ts";

type Requested = Extract<ObligingEvent, { type: "DocumentRequested" }>;

/** A record as it is when the document was requested. */
export const requestedRecord = ({ data, personal, metadata }: Requested): ObligationsRecord => ({
  documentId: data.documentId,
  accountId: metadata.accountId,
  channel: data.channel,
  sendMessages: data.sendMessages,
  hasWebhook: data.hasWebhook,
  webhookEvents: data.webhookEvents,
  receiver: receiverOf(metadata.accountId, personal?.webhook?.url),
  webhooks: [],
  status: data.file ? "pending" : "preparing",
  withdrawal: null,
  hasFile: data.file !== null,
  retentionDays: data.retentionDays,
  expiresAt: data.expiresAt,
  refusalHours: data.refusalHours,
  silenceHours: data.silenceHours,
  maxReminders: data.reminders?.max ?? 0,
  erasure: "none",
  sealed: false,
  augmentation: null,
  copies: false,
  evidence: "none",
  reported: false,
  refunded: false,
  setAside: false,
  signers: data.signers.map(({ signerId, order, group }) => ({
    signerId,
    order,
    group,
    turn: "waiting",
    isOutOfTurn: false,
    line: "off",
    lines: null,
    reached: false,
    template: "unsent",
    link: "unsent",
    copy: "unsent",
    cancellation: "unsent",
    refusal: "unsent",
    reminder: "unsent",
    nextReminder: "unknown",
    reminderDueAt: null,
    heldSince: null,
    reminders: 0,
    undeliverable: false,
    lastAnswer: null,
    wantsLink: false,
    refused: false,
    refusalExplained: false,
    delivered: false,
    opened: false,
    photos: { selfie: [], idFront: [], idBack: [] },
    signed: false,
  })),
  open: [],
});

const withSigner = (
  record: ObligationsRecord,
  signerId: string,
  change: Partial<Omit<SignerProgress, "signerId" | "order" | "group">>,
): ObligationsRecord => ({
  ...record,
  signers: record.signers.map((signer) => (signer.signerId === signerId ? { ...signer, ...change } : signer)),
});

const uploads = new Set<string>(["SelfieUploaded", "IdFrontUploaded", "IdBackUploaded"]);

/** Photos oblige only to have them validated: where they are not, nothing is kept of them. */
const photosProgressed = (record: ObligationsRecord, event: ObligingEvent & PhotoEvent): ObligationsRecord => {
  const signer = record.signers.find(({ signerId }) => signerId === event.data.signerId);
  if (!signer || ("validation" in event.data && event.data.validation === "none")) return record;
  const photos = evolvePhotos(signer.photos, event, ({ attempt, validation }) => ({
    attempt,
    validation,
    reason: null,
  }));
  const after = withSigner(record, signer.signerId, { photos });
  const isProvidersWord = !uploads.has(event.type) && event.type !== "IdentityProviderFailed";
  return isProvidersWord && record.evidence === "none" ? { ...after, evidence: "kept" } : after;
};

/** The record with what an event of the document's own stream, or of others that tell of it, changes; obligations apart. */
export const progressed = (record: ObligationsRecord, event: ObligingEvent): ObligationsRecord => {
  switch (event.type) {
    case "DocumentPrepared":
      return { ...record, status: "pending", hasFile: true };
    case "PreparationFailed":
      return { ...record, status: "failed" };
    case "DocumentCompleted":
      return { ...record, status: "completed" };
    case "Rejected":
      return { ...record, status: "rejected" };
    case "DocumentExpiryChanged":
      return {
        ...record,
        expiresAt: event.data.expiresAt,
        signers: record.signers.map((signer) =>
          signer.nextReminder === "none" ? { ...signer, nextReminder: "unknown" } : signer,
        ),
      };
    case "DocumentWithdrawn":
      return { ...record, status: "withdrawn", withdrawal: event.data.reason };
    case "DocumentErased":
      return { ...record, erasure: "erased", receiver: null };
    case "DocumentForgotten":
      return { ...record, erasure: "forgotten" };
    case "DocumentSealed":
      return { ...record, sealed: true, copies: event.data.sendCopies, augmentation: owedAugmentation(event.data) };
    case "SealAugmented":
      return { ...record, augmentation: owedAugmentation(event.data) };
    case "SealAugmentationFailed":
      return event.data.nextAttemptAt === null ? { ...record, augmentation: null } : record;
    case "EvidenceFetched":
      return { ...record, evidence: "fetched" };
    case "EvidenceFetchFailed":
      return event.data.attempt >= EVIDENCE_ATTEMPTS ? { ...record, evidence: "delayed" } : record;
    case "ReportGenerated":
      return { ...record, reported: true };
    case "CreditsRefunded":
      return { ...record, refunded: true };
    case "SignerQueued":
      return withSigner(record, event.data.signerId, { turn: "queued" });
    case "ReminderScheduled": {
      const nextReminder = event.data.dueAt === null ? "none" : "scheduled";
      const reminderDueAt = event.data.dueAt;
      return withSigner(record, event.data.signerId, { nextReminder, reminderDueAt, reminder: "unsent" });
    }
    case "ReminderSent":
      return withSigner(messageSent(record, event), event.data.signerId, reminded(record, event.data.signerId));
    case "ResendRequested":
      return withSigner(record, event.data.signerId, startedAnew);
    case "SignerCorrected":
      return corrected(record, event);
    case "SignerTurnCame":
      return withSigner(record, event.data.signerId, { turn: "came", isOutOfTurn: event.data.lineId === null });
    case "DocumentSigned":
      return withSigner(record, event.data.signerId, { signed: true });
    case "ContinueRefused":
      return withSigner(record, event.data.signerId, refused(signerIn(record, event.data.signerId), event));
    case "SigningPageOpened":
      return withSigner(record, event.data.signerId, { opened: true });
    case "TemplateAnswered":
      return withSigner(record, event.data.signerId, continued(signerIn(record, event.data.signerId), event));
    case "MessageSent":
    case "SignatureLinkSent":
    case "SignedCopySent":
    case "CancellationSent":
    case "RefusalExplained":
    case "MessageDelivered":
      return messageSent(record, event);
    case "MessageFailed":
      return messageFailed(record, event);
    case "TurnTaken":
      return onLine(record, event, "holds");
    case "TurnQueued":
      return onLine(record, event, "queued");
    case "TurnReleased":
    case "TurnWithdrawn":
      return onLine(record, event, "off");
    default:
      return isPhotoEvent(event) ? photosProgressed(record, event) : record;
  }
};

const signerIn = ({ signers }: ObligationsRecord, signerId: string): SignerProgress | undefined =>
  signers.find((signer) => signer.signerId === signerId);

type Change = Partial<SignerProgress>;

/** As the deciders know it: the last answer counts, and who continues anew is sent the link anew. */
const continued = (
  before: SignerProgress | undefined,
  event: Extract<ObligingEvent, { type: "TemplateAnswered" }>,
): Change => {
  const lastAnswer = lastAnswerAfter(before?.lastAnswer ?? null, event);
  const isLast = lastAnswer !== before?.lastAnswer;
  return {
    lastAnswer,
    wantsLink: true,
    ...(isLast ? { refused: false, refusalExplained: false } : {}),
    ...(before?.wantsLink ? { link: "unsent" } : {}),
  };
};

/** Of a refusal from which the signer went on since follows nothing. */
const refused = (
  before: SignerProgress | undefined,
  event: Extract<ObligingEvent, { type: "ContinueRefused" }>,
): Change => {
  const lastAnswer = lastAnswerAfter(before?.lastAnswer ?? null, event);
  if (lastAnswer === before?.lastAnswer) return {};
  const refusalExplained = isRefusalExplained(event, before?.wantsLink === true);
  return { lastAnswer, refused: true, refusalExplained, heldSince: event.metadata.at };
};

/** Lines that a signer is on, after an event of one of them. */
const onLine = (
  record: ObligationsRecord,
  { streamId, data: { signerId } }: ObligingEvent & { data: { signerId: string } },
  line: SignerProgress["line"],
): ObligationsRecord => {
  const lines = signerIn(record, signerId)?.lines;
  if (!lines) return withSigner(record, signerId, { line });
  const { [streamId]: _before, ...others } = lines.on;
  const on = line === "off" ? others : { ...others, [streamId]: line };
  return withSigner(record, signerId, { line: on[lines.own] ?? "off", lines: { ...lines, on } });
};

/** A corrected signer begins anew, maybe on another phone's line. The lines that they are still on are kept, to be left. */
const corrected = (
  record: ObligationsRecord,
  { data: { signerId, formerLineId, lineId } }: Extract<ObligingEvent, { type: "SignerCorrected" }>,
): ObligationsRecord => {
  const begun = { ...startedAnew, reached: false, wantsLink: false, lastAnswer: null, reminders: 0 };
  const before = signerIn(record, signerId);
  if (!before || formerLineId === null || lineId === null) return withSigner(record, signerId, begun);
  if (formerLineId === lineId) return withSigner(record, signerId, begun);
  const on = before.lines?.on ?? (before.line === "off" ? {} : { [formerLineId]: before.line });
  return withSigner(record, signerId, { ...begun, line: on[lineId] ?? "off", lines: { own: lineId, on } });
};

const messageSent = (
  record: ObligationsRecord,
  { type, data: { signerId, kind }, metadata }: ObligingEvent & { data: { signerId: string; kind: MessageKind } },
): ObligationsRecord => {
  const arrived = type === "MessageDelivered" && kind === "template";
  const heldSince = signerIn(record, signerId)?.heldSince ?? metadata.at;
  const told = { ...(isAsking(kind) ? { reached: true } : {}), ...(arrived ? { delivered: true, heldSince } : {}) };
  return withSigner(record, signerId, { [kind]: "sent", ...told });
};

const reminded = (record: ObligationsRecord, signerId: string): Partial<SignerProgress> => ({
  nextReminder: "unknown",
  reminders: (record.signers.find((signer) => signer.signerId === signerId)?.reminders ?? 0) + 1,
});

/** What a signer's standing is once all is to be sent anew. */
const startedAnew = {
  turn: "waiting",
  isOutOfTurn: false,
  template: "unsent",
  link: "unsent",
  refusal: "unsent",
  undeliverable: false,
  refused: false,
  refusalExplained: false,
  delivered: false,
  heldSince: null,
  reminder: "unsent",
  nextReminder: "unknown",
} as const satisfies Partial<SignerProgress>;

const messageFailed = (
  record: ObligationsRecord,
  { data: { signerId, kind, nextAttemptAt } }: Extract<ObligingEvent, { type: "MessageFailed" }>,
): ObligationsRecord => {
  if (nextAttemptAt !== null) return withSigner(record, signerId, { [kind]: "unsent" });
  const told = kind === "reminder" ? reminded(record, signerId) : isAsking(kind) ? { undeliverable: true } : {};
  return withSigner(record, signerId, { [kind]: "given_up", ...told });
};
