import { type Rows, rowOf } from "./field.ts";
import type { AnalyticsRecord } from "./record.ts";
import { type AnalyticSigner, furthestOf, signerStateOf } from "./signer.ts";
import { analyticTables as tables } from "./tables.ts";

/** Milliseconds from one moment to another; null where either is not known. */
const msBetween = (from: string | null, to: string | null): number | null =>
  from === null || to === null ? null : Date.parse(to) - Date.parse(from);

const orderOf = ({ signers }: AnalyticsRecord, signerId: string): number | null =>
  signers.find((signer) => signer.signerId === signerId)?.order ?? null;

const signerRow = (record: AnalyticsRecord, signer: AnalyticSigner) => {
  const { selfie, idFront, idBack } = signer.photos;
  return {
    ...record,
    ...signer,
    state: signerStateOf(signer, record.sendsMessages),
    furthest: furthestOf(signer),
    msToSign: msBetween(record.requestedAt, signer.signedAt),
    msToSignFromTurn: msBetween(signer.turnAt, signer.signedAt),
    selfieAttempts: selfie.length,
    selfieOutcome: selfie.at(-1)?.validation,
    idFrontAttempts: idFront.length,
    idFrontOutcome: idFront.at(-1)?.validation,
    idBackAttempts: idBack.length,
    idBackOutcome: idBack.at(-1)?.validation,
  };
};

/** The rows that follow from a document's record, each with the declared fields and no other. */
export const rowsOf = (record: AnalyticsRecord): Rows => {
  const { documentId, accountId, receiver, requestedAt, signers, messages, webhooks, entries } = record;
  const times = (at: (signer: AnalyticSigner) => string | null) => signers.flatMap((signer) => at(signer) ?? []);
  const first = (at: (signer: AnalyticSigner) => string | null) => times(at).sort()[0] ?? null;
  const [reachedAt, firstOpenedAt] = [first((signer) => signer.reachedAt), first((signer) => signer.openedAt)];
  const document = {
    ...record,
    reachedAt,
    firstOpenedAt,
    firstSignedAt: first((signer) => signer.signedAt),
    signers: signers.length,
    signed: times((signer) => signer.signedAt).length,
    msToReach: msBetween(requestedAt, reachedAt),
    msToOpen: msBetween(requestedAt, firstOpenedAt),
    msToComplete: msBetween(requestedAt, record.completedAt),
  };
  const of = { documentId, accountId };
  return {
    documents: [rowOf(tables.documents, document)],
    signers: signers.map((signer) => rowOf(tables.signers, signerRow(record, signer))),
    messages: messages.map((message) =>
      rowOf(tables.messages, { ...of, ...message, order: orderOf(record, message.signerId) }),
    ),
    webhooks: webhooks.map((webhook) => {
      const msToTake = msBetween(webhook.createdAt, webhook.takenAt);
      return rowOf(tables.webhooks, { ...of, ...webhook, receiver, msToTake });
    }),
    log_entries: entries.map((entry, number) =>
      rowOf(tables.logEntries, { ...of, ...entry, number, order: orderOf(record, entry.signerId) }),
    ),
  };
};
