import { createHash } from "node:crypto";
import { NotYetThere } from "@rubrica/http";
import {
  type CertificateAuthority,
  type PdfEngine,
  PdfRefused,
  type SignedPage,
  type Verification,
  type VerifiedSignature,
} from "@rubrica/pdf";
import type { Clock } from "@rubrica/runtime";
import {
  type DocumentRecord,
  findKnownDocument,
  type KnownDocument,
  type Records,
  recordOf,
} from "./known-document.ts";
import { documentNamedIn, isUnproven, type Verdict, verdictOf } from "./verdict.ts";

/** What files are checked with and against. */
export interface VerifierDependencies extends Records {
  /** Best an engine of its own, so that strangers' files don't delay sealing. */
  pdf: Pick<PdfEngine, "verify" | "asSigned">;
  clock: Clock;
  /** The own authority, whose revocation list of today is known; null where there is none. */
  authority: Pick<CertificateAuthority, "crl"> | null;
  /** Certificates (DER) that seals of this service chain to, today's and former ones. */
  roots: readonly Uint8Array[];
  /** Certificates (DER) of authorities whose timestamps are trusted. */
  timestampRoots: readonly Uint8Array[];
  /** Whether the service asks authorities for timestamps. */
  asksAuthorities: boolean;
  /** Certificates (DER) of the authorities above the one that seals today. */
  issuers: readonly Uint8Array[];
}

/** What is found of a file. */
export interface Report {
  verdict: Verdict;
  readable: boolean;
  /** Why it can't be read, for its sender; null when it can. */
  reason: string | null;
  /** Of the file, in lower-case hex. */
  sha256: string;
  fileBytes: number;
  /** When it was checked, in milliseconds since the UNIX epoch. */
  checkedAt: number;
  /** In the order in which they were made; of very many the last ones. */
  signatures: readonly VerifiedSignature[];
  /** Null: no signed document of this service is this very file. */
  document: KnownDocument | null;
  /** A page that looks otherwise than when it was signed; null where nothing came after it, or no page is seen to differ. */
  asSigned: SignedPicture | null;
}

/** A page as it was when one of the signatures was made: {@link pictured} says which. */
export interface SignedPicture extends Omit<SignedPage, "signedBytes"> {
  /** Of the signature in the report, from 0. */
  signature: number;
}

export interface Verifier {
  /**
   * Checks a file for a caller, and keeps nothing of it.
   * @throws {HelpersBusy} when too many wait.
   * @throws {NotYetThere} when it was sealed here, and is not on record yet or never will be.
   */
  verify(bytes: Uint8Array, caller: string): Promise<Report>;
}

/** More signatures than any honest file has; an answer has a limit too. */
const MAX_SIGNATURES = 200;
/** Verdicts on files of this service that are not on record, as far as the records have come. */
const sealedHere: readonly Verdict[] = ["unrecorded", "record_missing", "data_by_others", "certificate_invalid"];
const NOT_READABLE = "The document is not a PDF that can be read.";

/** Checks files by themselves and by what is on record. */
export const createVerifier = ({
  pdf,
  clock,
  authority,
  roots,
  timestampRoots,
  asksAuthorities,
  issuers,
  ...records
}: VerifierDependencies): Verifier => ({
  async verify(bytes, caller) {
    const checkedAt = clock.now();
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const shown = { bytes, sha256 };
    const lookedUp = await findKnownDocument(records, shown);
    const crls = authority === null ? [] : [authority.crl()];
    const examineBy = (record: DocumentRecord | null) =>
      examine(() => pdf.verify(bytes, roots, caller, { timestampRoots, issuers, crls, record: provenBy(record) }));
    const examined = await examineBy(lookedUp.record);
    // Where nothing leads to a document that names the file, its seal does: the record may have lost it, or been cut.
    const named = lookedUp.record?.document ? null : documentNamedIn(examined.found);
    const record = named === null ? lookedUp.record : await recordOf(records, named, shown);
    const examinedBy = record?.document && named !== null ? await examineBy(record) : examined;
    // What the file contradicts, or nothing signed vouches for, proves no time either: judge without it.
    const { found, refusal } = isUnproven({ ...examinedBy, record }) ? await examineBy(null) : examinedBy;
    const readable = found?.readable === true;
    const verdict = verdictOf({ found, record, knowsAuthorities: timestampRoots.length > 0 || !asksAuthorities });
    if (sealedHere.includes(verdict) && !lookedUp.upToDate) throw new NotYetThere();
    const signatures = found?.signatures.slice(-MAX_SIGNATURES) ?? [];
    return {
      verdict,
      readable,
      reason: readable ? null : (refusal ?? NOT_READABLE),
      sha256,
      fileBytes: bytes.length,
      checkedAt,
      signatures,
      document: record?.document ?? null,
      // What this service sealed to its last bit has nothing after it that is seen.
      asSigned: found?.untouched ? null : await pictured(pdf, bytes, signatures, caller),
    };
  },
});

/** What time a record proves of the very file: one that was tampered with proves none. */
const provenBy = (record: DocumentRecord | null): { at: number; certificateSha256: string } | null => {
  if (!record?.document || !record.chainIntact) return null;
  const { sealedAt, certificateSha256 } = record.document;
  return { at: Date.parse(sealedAt), certificateSha256 };
};

/**
 * Of which signatures a page may be shown: those after which other content came; and from this service's last seal on, or
 * where there is none from the first signature on, those after which somebody signed: a further signature is drawn as
 * well, and may be drawn over what was signed before.
 */
const signaturesToShow = (signatures: readonly VerifiedSignature[]): VerifiedSignature[] => {
  const seal = signatures.findLastIndex(({ kind, trusted }) => kind === "signature" && trusted);
  return signatures.filter(
    ({ kind, intact, changesAfter }, index) =>
      intact === true &&
      (changesAfter === "other" || (index >= seal && kind === "signature" && changesAfter === "signing")),
  );
};

/** A page that looks otherwise since the first of the signatures; what can't be drawn within bounds is not shown. */
const pictured = async (
  pdf: Pick<PdfEngine, "asSigned">,
  bytes: Uint8Array,
  signatures: readonly VerifiedSignature[],
  caller: string,
): Promise<SignedPicture | null> => {
  const shown = signaturesToShow(signatures);
  if (shown.length === 0) return null;
  try {
    const ends = shown.map(({ coveredBytes }) => coveredBytes);
    const found = await pdf.asSigned(bytes, ends, caller);
    if (found === null) return null;
    const { signedBytes, ...page } = found;
    const signature = signatures.findIndex((one) => shown.includes(one) && one.coveredBytes === signedBytes);
    return { ...page, signature };
  } catch (error) {
    if (error instanceof PdfRefused) return null;
    throw error;
  }
};

interface Examined {
  found: Verification | null;
  refusal: string | null;
}

const examine = async (verify: () => Promise<Verification>): Promise<Examined> => {
  try {
    return { found: await verify(), refusal: null };
  } catch (error) {
    if (error instanceof PdfRefused) return { found: null, refusal: error.message };
    throw error;
  }
};
