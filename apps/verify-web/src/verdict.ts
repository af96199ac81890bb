import type { Named, Verification, VerifiedSignature } from "@rubrica/pdf";
import type { DocumentRecord, KnownDocument } from "./known-document.ts";

/** What a file is found to be, in one word; `valid` is the only one that vouches for a signed document. */
export const verdicts = [
  "valid",
  "unrecorded",
  "data_by_others",
  "certificate_invalid",
  "record_contradicted",
  "record_unproven",
  "record_missing",
  "evidence_broken",
  "changed",
  "foreign",
  "unsigned",
  "unreadable",
] as const;
export type Verdict = (typeof verdicts)[number];

/**
 * What a file is by what it says itself. `sealed`: by this service, and to its last bit, but for validation data of trusted
 * authorities. `worthless`: sealed so, but, as far as is proven, with a certificate that was worth nothing.
 */
export const fileKinds = [
  "sealed",
  "sealed_with_data_by_others",
  "worthless",
  "changed",
  "foreign",
  "unsigned",
  "unreadable",
] as const;
export type FileKind = (typeof fileKinds)[number];

/**
 * What the record says of a file with the very same bytes:
 * - `none`: nothing
 * - `tampered`: a document whose events were tampered with, be it that they name the file no more
 * - `of_no_event`: the seal says which document it is over, whose intact events name neither this file nor one that it
 *   begins with: it was cut off before what was sealed later, or the record has lost something
 * - `of_another_certificate`: its intact events name another certificate than its seal has
 * - `of_another_kind`: they name the seal's, but the seal says that it is over another document, or over none
 * - `of_another_level`: they name the seal's, and a level whose timestamps the file has not
 * - `of_no_head`: the seal does not say what it is over, and its event is not in the log's first signed head: whoever can
 *   write to the events may have named it since
 * - `of_its_certificate`: events and seal name the same
 */
export const records = [
  "none",
  "tampered",
  "of_no_event",
  "of_another_certificate",
  "of_another_kind",
  "of_another_level",
  "of_no_head",
  "of_its_certificate",
] as const;
export type OnRecord = (typeof records)[number];

/**
 * The verdict on each combination. A record alone vouches for no file, since who can write to the events could name any
 * file in it; a seal alone vouches for no document, since reports are sealed as well.
 */
export const verdictTable: Readonly<Record<FileKind, Readonly<Record<OnRecord, Verdict>>>> = {
  sealed: {
    none: "unrecorded",
    tampered: "evidence_broken",
    of_no_event: "record_missing",
    of_another_certificate: "record_contradicted",
    of_another_kind: "record_contradicted",
    of_another_level: "record_contradicted",
    of_no_head: "record_unproven",
    of_its_certificate: "valid",
  },
  sealed_with_data_by_others: {
    none: "data_by_others",
    tampered: "evidence_broken",
    of_no_event: "record_missing",
    of_another_certificate: "record_contradicted",
    of_another_kind: "record_contradicted",
    of_another_level: "record_contradicted",
    of_no_head: "record_unproven",
    of_its_certificate: "data_by_others",
  },
  worthless: {
    none: "certificate_invalid",
    tampered: "evidence_broken",
    of_no_event: "certificate_invalid",
    of_another_certificate: "record_contradicted",
    of_another_kind: "record_contradicted",
    of_another_level: "record_contradicted",
    of_no_head: "certificate_invalid",
    of_its_certificate: "certificate_invalid",
  },
  changed: {
    none: "changed",
    tampered: "evidence_broken",
    of_no_event: "changed",
    of_another_certificate: "record_contradicted",
    of_another_kind: "record_contradicted",
    of_another_level: "record_contradicted",
    of_no_head: "changed",
    of_its_certificate: "changed",
  },
  foreign: {
    none: "foreign",
    tampered: "evidence_broken",
    of_no_event: "foreign",
    of_another_certificate: "record_contradicted",
    of_another_kind: "record_contradicted",
    of_another_level: "record_contradicted",
    of_no_head: "record_contradicted",
    of_its_certificate: "record_contradicted",
  },
  unsigned: {
    none: "unsigned",
    tampered: "evidence_broken",
    of_no_event: "unsigned",
    of_another_certificate: "record_contradicted",
    of_another_kind: "record_contradicted",
    of_another_level: "record_contradicted",
    of_no_head: "record_contradicted",
    of_its_certificate: "record_contradicted",
  },
  unreadable: {
    none: "unreadable",
    tampered: "unreadable",
    of_no_event: "unreadable",
    of_another_certificate: "unreadable",
    of_another_kind: "unreadable",
    of_another_level: "unreadable",
    of_no_head: "unreadable",
    of_its_certificate: "unreadable",
  },
};

/** What a verdict rests on. */
export interface Judged {
  /** Null when the file could not be read. */
  found: Verification | null;
  /** What is on record of the document that the seal names, or that the file was looked up as; null where there is none. */
  record: DocumentRecord | null;
  /** Whether it can be told whose timestamps and validation data are the service's own: it was told whom to trust, or asks nobody. */
  knowsAuthorities: boolean;
}

/** Judges a file by what it says itself and by what is on record. */
export const verdictOf = (judged: Judged): Verdict => verdictTable[fileKindOf(judged)][onRecord(judged)];

const onRecord = ({ found, record }: Pick<Judged, "found" | "record">): OnRecord => {
  if (!record) return "none";
  const { document, chainIntact, beginsAsNamed } = record;
  if (!chainIntact) return "tampered";
  if (!document) return beginsAsNamed ? "none" : "of_no_event";
  const seal = lastSeal(found);
  if (seal?.certificate?.sha256 !== document.certificateSha256) return "of_another_certificate";
  if (seal.named !== null && !isOver(seal.named, document)) return "of_another_kind";
  if (!isAtLevel(found?.signatures ?? [], seal, document.level)) return "of_another_level";
  return seal.named === null && !document.inFirstHead ? "of_no_head" : "of_its_certificate";
};

/**
 * Whether a file has the timestamps of a level, whoever's they are: over its seal, or over all of it, and so it is at B-LTA.
 * At B-B there need be none.
 */
const isAtLevel = (signatures: Verification["signatures"], seal: VerifiedSignature, level: string): boolean => {
  if (level === "B-B") return true;
  const later = signatures.slice(signatures.indexOf(seal) + 1);
  return later.some(isTimestamp) || (level !== "B-LTA" && seal.timestampedAt !== null);
};

const isTimestamp = ({ kind, intact }: VerifiedSignature): boolean => kind === "document_timestamp" && intact !== false;

const isOver = (named: Named, { documentId }: KnownDocument): boolean =>
  named.kind === "document" && named.id === documentId;

const UNPROVEN: readonly OnRecord[] = ["of_another_kind", "of_another_level", "of_no_head"];

/**
 * Whether the file says something else than its record, or nothing but the events themselves tells that it is of the
 * document: seals of earlier releases do not say what they are over, and who can write to the events could name any of them.
 */
export const isUnproven = (judged: Pick<Judged, "found" | "record">): boolean => UNPROVEN.includes(onRecord(judged));

/**
 * The document that the file's last seal says that it is over, or over a part of; null where it does not say, or is
 * over none, and where the file is not as that seal left it: then that is to be told.
 */
export const documentNamedIn = (found: Verification | null): string | null => {
  const holds = found?.untouched || found?.afterSeal === "validation_data_by_others";
  const named = holds ? lastSeal(found)?.named : null;
  return named?.kind === "document" || named?.kind === "part" ? named.id : null;
};

const fileKindOf = ({ found, record, knowsAuthorities }: Judged): FileKind => {
  if (!found?.readable) return "unreadable";
  if (found.signatures.length === 0) return "unsigned";
  if (found.untouched) return isWorthless(found) ? "worthless" : "sealed";
  if (found.afterSeal === "validation_data_by_others") {
    if (isWorthless(found)) return "worthless";
    // A service that asks authorities, and was told to trust none, can't tell: the record then says that it was its own.
    return record?.document && !knowsAuthorities ? "sealed" : "sealed_with_data_by_others";
  }
  return isChanged(found) ? "changed" : "foreign";
};

/** Whether something in the file is not as a signature left it; a seal of this service must also be as it writes them. */
const isChanged = ({ signatures }: Verification): boolean => {
  const broken = signatures.some(
    ({ intact, changesAfter }) => intact === false || (intact === true && changesAfter === "other"),
  );
  const ours = signatures.some(({ kind, trusted }) => kind === "signature" && trusted);
  const last = signatures.at(-1);
  const signedFurther = last?.kind === "signature" && !last.trusted && last.intact === true;
  return broken || (ours && !signedFurther);
};

const lastSeal = (found: Verification | null): VerifiedSignature | undefined =>
  found?.signatures.findLast(({ kind, trusted }) => kind === "signature" && trusted);

/** Whether the certificate of this service's last seal was not valid at the time that is proven of the seal. */
const isWorthless = (found: Verification): boolean =>
  ["expired", "revoked", "not_yet_valid"].includes(lastSeal(found)?.certificateStatus?.status ?? "");
