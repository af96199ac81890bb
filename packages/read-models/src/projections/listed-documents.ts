import { takenBackAt } from "@rubrica/domain";
import { phoneLine } from "@rubrica/identity";
import type { JournalEvent } from "@rubrica/journal";
import type { Collection } from "../port.ts";
import type { Projection } from "../projection.ts";
import { type CorrectedSigner, withCorrection } from "./corrected-signers.ts";
import type { CustomIdHmac } from "./custom-ids.ts";
import { LAST } from "./owed.ts";

/** Where a document stands. */
export type ListedStatus = "pending" | "signed" | "rejected" | "ended";

/** How a document ended. */
export type ListedEnd = { kind: "signed" | "rejected" | "canceled" | "expired" | "failed" | "erased"; at: string };

/** A document as it is listed. Names nobody: by whom it can be found are HMACs, which go at erasure. */
export type ListedDocument = {
  documentId: string;
  accountId: string;
  createdAt: string;
  campaignId: number | null;
  status: ListedStatus;
  /** Null while it is open. */
  end: ListedEnd | null;
  /** The revision in its stream of the event that ended it; null while it is open. */
  endRevision: string | null;
  expiresAt: string | null;
  erased: boolean;
  corrections: CorrectedSigner[];
  /** In the order of the request. */
  signers: { signerId: string; signedAt: string | null; rejected: boolean }[];
  /** HMACs of each signer's phone, ID number and own id; none once they were erased. */
  people: string[][];
} & ListedKeys;

/** What a document is listed by: its account, alone or with its status, its campaign, or both; the newest first. */
type ListedKeys = {
  byAccount: string;
  byStatus: string;
  /** Null without a campaign, as the next. */
  byCampaign: string | null;
  byStatusAndCampaign: string | null;
};

/** By whom a document is found. */
export type PersonKey = "phone" | "dni" | "id_custom";

/** One of a document's signers, as a record of its own. */
export type ListedPerson = { documentId: string; byPerson: string };

const END_OF_TIME_MS = 9_999_999_999_999;

/** A moment, in an order in which the newest is first; nothing is older than the epoch. */
const newestFirst = (ms: number): string => String(END_OF_TIME_MS - Math.max(0, ms)).padStart(13, "0");

/** A document's place among all: the newest first, no two alike. */
export const placeOf = ({ createdAt, documentId }: Pick<ListedDocument, "createdAt" | "documentId">): string =>
  `${newestFirst(Date.parse(createdAt))}/${documentId}`;

/** What is asked for: of an account, and of what of its documents. */
export interface ListedBy {
  accountId: string;
  status?: ListedStatus | undefined;
  campaignId?: number | undefined;
}

/** The field that documents are listed by, and what all of them begin with. */
export const listedBy = ({ accountId, status, campaignId }: ListedBy): { field: keyof ListedKeys; prefix: string } => {
  if (status !== undefined && campaignId !== undefined) {
    return { field: "byStatusAndCampaign", prefix: `${accountId}/${status}/${campaignId}/` };
  }
  if (status !== undefined) return { field: "byStatus", prefix: `${accountId}/${status}/` };
  if (campaignId !== undefined) return { field: "byCampaign", prefix: `${accountId}/${campaignId}/` };
  return { field: "byAccount", prefix: `${accountId}/` };
};

/** The field that a person's documents are listed by. */
export const PERSON_FIELD = "byPerson";

/** Of the places that begin so, those after one, created within a time (milliseconds since the UNIX epoch). */
export const listedWithin = (
  prefix: string,
  { after, fromMs, toMs }: { after?: string | undefined; fromMs?: number | undefined; toMs?: number | undefined },
) => {
  // The newest that may be: what was created later comes before.
  const first = toMs === undefined ? "" : newestFirst(toMs);
  const begin = after !== undefined && after > first ? after : first;
  return {
    after: `${prefix}${begin}`,
    upTo: `${prefix}${fromMs === undefined ? LAST : `${newestFirst(fromMs)}/${LAST}`}`,
  };
};

/** What a signer is found by: the phone as the line that it is, however it was written. */
export const personHmac = (hmacOf: CustomIdHmac, accountId: string, key: PersonKey, value: string): string =>
  hmacOf(accountId, `${key}:${key === "phone" ? phoneLine(value) : value}`);

const keysOf = (document: Pick<ListedDocument, "accountId" | "status" | "campaignId" | "createdAt" | "documentId">) => {
  const { accountId, status, campaignId } = document;
  const place = placeOf(document);
  return {
    byAccount: `${accountId}/${place}`,
    byStatus: `${accountId}/${status}/${place}`,
    byCampaign: campaignId === null ? null : `${accountId}/${campaignId}/${place}`,
    byStatusAndCampaign: campaignId === null ? null : `${accountId}/${status}/${campaignId}/${place}`,
  };
};

type Person = { phone: string; idNumber: string; idCustom: string };

const hmacsOf = ({ phone, idNumber, idCustom }: Person, accountId: string, hmacOf: CustomIdHmac): string[] => [
  personHmac(hmacOf, accountId, "phone", phone),
  personHmac(hmacOf, accountId, "dni", idNumber),
  personHmac(hmacOf, accountId, "id_custom", idCustom),
];

/** Who was corrected is found by who they are since. */
const corrected = (
  document: ListedDocument,
  event: Extract<JournalEvent, { type: "SignerCorrected" }>,
  hmacOf: CustomIdHmac,
): ListedDocument => {
  const { data, personal, metadata } = event;
  const index = document.signers.findIndex(({ signerId }) => signerId === data.signerId);
  const hmacs = personal ? hmacsOf(personal.after, metadata.accountId, hmacOf) : [];
  const people = document.people.map((before, place) => (place === index ? hmacs : before));
  return { ...document, people, corrections: withCorrection(document.corrections, event) };
};

const requested = (
  { data, personal, metadata }: Extract<JournalEvent, { type: "DocumentRequested" }>,
  hmacOf: CustomIdHmac,
): ListedDocument => {
  const { accountId, at: createdAt } = metadata;
  const listed = {
    documentId: data.documentId,
    accountId,
    createdAt,
    campaignId: data.campaignId,
    status: "pending" as const,
    end: null,
    endRevision: null,
    expiresAt: data.expiresAt,
    erased: false,
    corrections: [],
    signers: data.signers.map(({ signerId }) => ({ signerId, signedAt: null, rejected: false })),
    people: (personal?.signers ?? []).map((person) => hmacsOf(person, accountId, hmacOf)),
  };
  return { ...listed, ...keysOf(listed) };
};

const ended = (
  document: ListedDocument,
  { revision }: JournalEvent,
  status: ListedStatus,
  end: ListedEnd,
): ListedDocument => ({
  ...document,
  status,
  end,
  endRevision: revision.toString(),
  ...keysOf({ ...document, status }),
});

const withSigner = (
  document: ListedDocument,
  signerId: string,
  change: Partial<ListedDocument["signers"][number]>,
): ListedDocument => ({
  ...document,
  signers: document.signers.map((signer) => (signer.signerId === signerId ? { ...signer, ...change } : signer)),
});

const withdrawn = (document: ListedDocument, event: Extract<JournalEvent, { type: "DocumentWithdrawn" }>) => {
  const { reason } = event.data;
  const kind = reason === "erasure" ? "erased" : reason;
  const at = takenBackAt(reason, document, event.metadata.at);
  return ended(document, event, "ended", { kind, at });
};

const evolve = (document: ListedDocument, event: JournalEvent, hmacOf: CustomIdHmac): ListedDocument => {
  const { at } = event.metadata;
  switch (event.type) {
    case "DocumentExpiryChanged":
      return { ...document, expiresAt: event.data.expiresAt };
    case "SignerCorrected":
      return corrected(document, event, hmacOf);
    case "DocumentSigned":
      return withSigner(document, event.data.signerId, { signedAt: at });
    case "DocumentCompleted":
      return ended(document, event, "signed", { kind: "signed", at });
    case "Rejected":
      return ended(withSigner(document, event.data.signerId, { rejected: true }), event, "rejected", {
        kind: "rejected",
        at,
      });
    case "PreparationFailed":
      return ended(document, event, "ended", { kind: "failed", at });
    case "DocumentWithdrawn":
      return withdrawn(document, event);
    case "DocumentErased":
      return { ...document, erased: true, people: [] };
    default:
      return document;
  }
};

const TOLD = new Set<JournalEvent["type"]>([
  "DocumentRequested",
  "DocumentExpiryChanged",
  "SignerCorrected",
  "DocumentSigned",
  "DocumentCompleted",
  "Rejected",
  "PreparationFailed",
  "DocumentWithdrawn",
  "DocumentErased",
]);

/** Documents, to be listed and found. */
export const listedDocuments: Collection<ListedDocument> = {
  name: "listed-documents",
  version: 2,
  indexes: [
    { field: "byAccount" },
    { field: "byStatus" },
    { field: "byCampaign" },
    { field: "byStatusAndCampaign" },
    { field: PERSON_FIELD },
  ],
};

/** Lists them, each under its account and its signers' HMACs. */
export const listedDocumentsBy = (hmacOf: CustomIdHmac): Projection<ListedDocument> => ({
  ...listedDocuments,
  keysOf: (event) => (event.streamKind === "document" && TOLD.has(event.type) ? [event.streamId] : []),
  project: (document, event) => {
    if (event.type === "DocumentRequested") return document ?? requested(event, hmacOf);
    return document && evolve(document, event, hmacOf);
  },
  partsOf: ({ documentId, createdAt, people }) =>
    [...new Set(people.flat())].map((hmac) => {
      const document: ListedPerson = { documentId, byPerson: `${hmac}/${placeOf({ documentId, createdAt })}` };
      return { id: `person/${documentId}/${hmac}`, document };
    }),
});
