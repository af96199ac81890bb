import type { ObligationsRecord, ObligingEvent, SignerProgress } from "./record.ts";

type Requested = Extract<ObligingEvent, { type: "DocumentRequested" }>;

/** A record as it is when the document was requested. */
export const requestedRecord = ({ data, metadata }: Requested): ObligationsRecord => ({
  documentId: data.documentId,
  accountId: metadata.accountId,
  channel: data.channel,
  sendMessages: data.sendMessages,
  hasWebhook: data.hasWebhook,
  status: data.file ? "pending" : "preparing",
  sealed: false,
  reported: false,
  refunded: false,
  signers: data.signers.map(({ signerId, order }) => ({
    signerId,
    order,
    turn: "waiting",
    line: "off",
    template: "unsent",
    link: "unsent",
    undeliverable: false,
    wantsLink: false,
    signed: false,
  })),
  open: [],
  nextDueAt: null,
});

const withSigner = (
  record: ObligationsRecord,
  signerId: string,
  change: Partial<Omit<SignerProgress, "signerId" | "order">>,
): ObligationsRecord => ({
  ...record,
  signers: record.signers.map((signer) => (signer.signerId === signerId ? { ...signer, ...change } : signer)),
});

/** The record with what an event of the document's own stream, or of others that tell of it, changes; obligations apart. */
export const progressed = (record: ObligationsRecord, event: ObligingEvent): ObligationsRecord => {
  switch (event.type) {
    case "DocumentPrepared":
      return { ...record, status: "pending" };
    case "PreparationFailed":
      return { ...record, status: "failed" };
    case "DocumentCompleted":
      return { ...record, status: "completed" };
    case "Rejected":
      return { ...record, status: "rejected" };
    case "DocumentSealed":
      return { ...record, sealed: true };
    case "ReportGenerated":
      return { ...record, reported: true };
    case "CreditsRefunded":
      return { ...record, refunded: true };
    case "SignerQueued":
      return withSigner(record, event.data.signerId, { turn: "queued" });
    case "SignerTurnCame":
      return withSigner(record, event.data.signerId, { turn: "came" });
    case "DocumentSigned":
      return withSigner(record, event.data.signerId, { signed: true });
    case "TemplateAnswered":
      return withSigner(record, event.data.signerId, { wantsLink: true });
    case "MessageSent":
    case "SignatureLinkSent":
    case "MessageDelivered":
      return withSigner(record, event.data.signerId, { [event.data.kind]: "sent" });
    case "MessageFailed":
      return messageFailed(record, event);
    case "TurnTaken":
      return withSigner(record, event.data.signerId, { line: "holds" });
    case "TurnQueued":
      return withSigner(record, event.data.signerId, { line: "queued" });
    case "TurnReleased":
    case "TurnWithdrawn":
      return withSigner(record, event.data.signerId, { line: "off" });
    default:
      return record;
  }
};

const messageFailed = (
  record: ObligationsRecord,
  { data: { signerId, kind, nextAttemptAt } }: Extract<ObligingEvent, { type: "MessageFailed" }>,
): ObligationsRecord =>
  nextAttemptAt === null
    ? withSigner(record, signerId, { [kind]: "given_up", undeliverable: true })
    : withSigner(record, signerId, { [kind]: "unsent" });
