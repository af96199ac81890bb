import { documentKinds } from "./document-kinds.ts";
import { type Kind, namesOf } from "./kind.ts";
import { progressed, requestedRecord } from "./progress.ts";
import { fresh, type Obligation, type ObligationsRecord, type ObligingEvent } from "./record.ts";
import { signerKinds } from "./signer-kinds.ts";
import { openWebhooks, webhooksAfter } from "./webhooks.ts";

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
  const { isAnewWith, after } = kinds[owed.kind];
  const known = before?.open.find(({ kind, signerId }) => kind === owed.kind && signerId === owed.signerId);
  if (known && !isAbout(owed, event)) return known;
  const open = known && !isAnewWith?.(event) ? known : newObligation(before, owed, event);
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
