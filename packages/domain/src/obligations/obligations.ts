import { isPhotoEvent, type PhotoEvent } from "@rubrica/events";
import {
  detailsAfter,
  requestedSignerStanding,
  requestedStanding,
  signersAfter,
  statusAfter,
} from "../standing/evolve-standing.ts";
import { evolvePhotos, progressOf } from "../standing/photo-progress.ts";
import { documentKinds } from "./document-kinds.ts";
import { type Kind, namesOf } from "./kind.ts";
import { fresh, type Obligation, type ObligationsRecord, type ObligingEvent, type SignerProgress } from "./record.ts";
import { signerKinds } from "./signer-kinds.ts";
import { openWebhooks, receiverOf, webhooksAfter } from "./webhooks.ts";

/** What is owed now: a kind, and the signer whom it is about, or null. */
type Owed = Pick<Obligation, "signerId"> & { kind: keyof typeof documentKinds | keyof typeof signerKinds };

/** What is said of each kind once it is known whether it is owed. */
const kinds: Readonly<Record<Owed["kind"], Kind<never>>> = { ...documentKinds, ...signerKinds };

const documentKindNames = namesOf(documentKinds);
const signerKindNames = namesOf(signerKinds);

/** Which record an event belongs to: the document's id, or undefined when it obliges nobody. */
export const obligationsRecordId = (event: ObligingEvent): string | undefined => {
  if (event.streamKind === "document") return event.streamId;
  if (event.streamKind === "phoneLine" || event.streamKind === "delivery" || event.type === "CreditsRefunded") {
    return "documentId" in event.data ? event.data.documentId : undefined;
  }
  return undefined;
};

type Requested = Extract<ObligingEvent, { type: "DocumentRequested" }>;

/** A record as it is when the document was requested. */
const requestedRecord = ({ data, personal, metadata }: Requested): ObligationsRecord => ({
  ...requestedStanding(data),
  documentId: data.documentId,
  accountId: metadata.accountId,
  channel: data.channel,
  hasWebhook: data.hasWebhook,
  webhookEvents: data.webhookEvents,
  receiver: receiverOf(metadata.accountId, personal?.webhook?.url),
  webhooks: [],
  status: data.file ? "pending" : "preparing",
  refunded: false,
  setAside: false,
  signers: data.signers.map((signer) => ({ ...requestedSignerStanding(signer), line: "off", lines: null })),
  open: [],
});

const withSigner = (
  record: ObligationsRecord,
  signerId: string,
  change: (signer: SignerProgress) => SignerProgress,
): ObligationsRecord => ({
  ...record,
  signers: record.signers.map((signer) => (signer.signerId === signerId ? change(signer) : signer)),
});

/** Photos oblige only to have them validated: where they are not, nothing is kept of them. */
const photosProgressed = (signer: SignerProgress, event: PhotoEvent): SignerProgress => {
  if ("validation" in event.data && event.data.validation === "none") return signer;
  return { ...signer, photos: evolvePhotos(signer.photos, event, progressOf) };
};

/** Their place on lines, after an event of one of them. */
const onLine = (signer: SignerProgress, lineId: string, line: SignerProgress["line"]): SignerProgress => {
  const { lines } = signer;
  if (!lines) return { ...signer, line };
  const { [lineId]: _before, ...others } = lines.on;
  const on = line === "off" ? others : { ...others, [lineId]: line };
  return { ...signer, line: on[lines.own] ?? "off", lines: { ...lines, on } };
};

/** A corrected signer is maybe on another phone's line. The lines that they are still on are kept, to be left. */
const movedLine = (
  signer: SignerProgress,
  { formerLineId, lineId }: { formerLineId: string | null; lineId: string | null },
): SignerProgress => {
  if (formerLineId === null || lineId === null || formerLineId === lineId) return signer;
  const on = signer.lines?.on ?? (signer.line === "off" ? {} : { [formerLineId]: signer.line });
  return { ...signer, line: on[lineId] ?? "off", lines: { own: lineId, on } };
};

/** What an event changes of a record beside how its document stands; obligations apart. */
const progressedOwn = (record: ObligationsRecord, event: ObligingEvent): ObligationsRecord => {
  switch (event.type) {
    case "DocumentErased":
      return { ...record, receiver: null };
    case "CreditsRefunded":
      return { ...record, refunded: true };
    case "SignerCorrected":
      return withSigner(record, event.data.signerId, (signer) => movedLine(signer, event.data));
    case "TurnTaken":
      return withSigner(record, event.data.signerId, (signer) => onLine(signer, event.streamId, "holds"));
    case "TurnQueued":
      return withSigner(record, event.data.signerId, (signer) => onLine(signer, event.streamId, "queued"));
    case "TurnReleased":
    case "TurnWithdrawn":
      return withSigner(record, event.data.signerId, (signer) => onLine(signer, event.streamId, "off"));
    default:
      return isPhotoEvent(event)
        ? withSigner(record, event.data.signerId, (signer) => photosProgressed(signer, event))
        : record;
  }
};

/** The record with what an event of the document's own stream, or of others that tell of it, changes; obligations apart. */
const progressed = (record: ObligationsRecord, event: ObligingEvent): ObligationsRecord => {
  const own = progressedOwn(record, event);
  if (event.streamKind !== "document") return own;
  const status = statusAfter(own.status, event);
  return { ...detailsAfter(own, event), status, signers: signersAfter(own.signers, event) };
};

const newObligation = (
  record: ObligationsRecord | null,
  { kind, signerId }: Owed,
  event: ObligingEvent,
): Obligation => {
  const { idBy, dueAt } = kinds[kind];
  const { at } = event.metadata;
  const target = signerId === null ? "" : `:${signerId}`;
  const signer = record?.signers.find((one) => one.signerId === signerId);
  return {
    ...fresh,
    id: idBy?.(event) ?? `${event.id}:${kind}${target}`,
    kind,
    signerId,
    dueAt: dueAt?.({ record, signer, event }) ?? at,
    since: at,
  };
};

/** Whether an event of the document is about it as a whole, or about this signer. */
const isAbout = ({ signerId }: Owed, { data }: ObligingEvent): boolean =>
  signerId === null || ("signerId" in data && data.signerId === signerId);

/**
 * All that is owed by what is known of a document, webhooks apart. Derived anew from each event on, so that it does not
 * matter in which order a document's own events and those of the phones' lines come: what is owed is open, what is not
 * is closed.
 */
const owedBy = (record: ObligationsRecord): Owed[] => [
  ...documentKindNames.filter((kind) => documentKinds[kind].isOwed(record)).map((kind) => ({ kind, signerId: null })),
  ...record.signers.flatMap((signer) =>
    signerKindNames
      .filter((kind) => signerKinds[kind].isOwed(record, signer))
      .map((kind) => ({ kind, signerId: signer.signerId })),
  ),
];

/** What is owed after an event: one that was open goes on, as the event leaves it, or else there is a new one. */
const obligationAfter = (before: ObligationsRecord | null, owed: Owed, event: ObligingEvent): Obligation => {
  const { restartsWith, after } = kinds[owed.kind];
  const known = before?.open.find(({ kind, signerId }) => kind === owed.kind && signerId === owed.signerId);
  if (known && !isAbout(owed, event)) return known;
  const open = known && !restartsWith?.(event) ? known : newObligation(before, owed, event);
  return after?.(open, event) ?? open;
};

/**
 * A document's record after one more event, or null before the document was requested. Pure: the same events in the same
 * order make the same record; apply each event once (the projection's store sees to that).
 */
export const evolveObligations = (record: ObligationsRecord | null, event: ObligingEvent): ObligationsRecord | null => {
  if (!record && event.type !== "DocumentRequested") return null;
  if (record && (record.setAside || event.type === "DocumentRequested")) return record;
  const after = event.type === "DocumentRequested" ? requestedRecord(event) : record && progressed(record, event);
  if (!after) return null;
  const webhooks = webhooksAfter(after, event);
  const owed = owedBy(after).map((one) => obligationAfter(record, one, event));
  const open = [...owed, ...openWebhooks(webhooks)];
  return { ...after, webhooks, open };
};
