import { isPhotoEvent, type PhotoEvent } from "@rubrica/events";
import {
  detailsAfter,
  requestedSignerStanding,
  requestedStanding,
  signersAfter,
  statusAfter,
} from "../standing/evolve-standing.ts";
import { evolvePhotos, progressOf } from "../standing/photo-progress.ts";
import type { ObligationsRecord, ObligingEvent, SignerProgress } from "./record.ts";
import { receiverOf } from "./webhooks.ts";

type Requested = Extract<ObligingEvent, { type: "DocumentRequested" }>;

/** A record as it is when the document was requested. */
export const requestedRecord = ({ data, personal, metadata }: Requested): ObligationsRecord => ({
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
export const progressed = (record: ObligationsRecord, event: ObligingEvent): ObligationsRecord => {
  const own = progressedOwn(record, event);
  if (event.streamKind !== "document") return own;
  const status = statusAfter(own.status, event);
  return { ...detailsAfter(own, event), status, signers: signersAfter(own.signers, event) };
};
