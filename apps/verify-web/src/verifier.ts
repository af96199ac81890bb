import { createHash } from "node:crypto";
import { NotYetThere } from "@rubrica/http";
import { type PdfEngine, PdfRefused, type Verification, type VerifiedSignature } from "@rubrica/pdf";
import { findKnownDocument, type KnownDocument, type Records } from "./known-document.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

/** What files are checked with and against. */
export interface VerifierDependencies extends Records {
  /** Best one of its own: what anybody sends must not wait in front of what is to be sealed. */
  pdf: Pick<PdfEngine, "verify">;
  /** Certificates (DER) that seals of this service chain to, today's and former ones. */
  roots: readonly Uint8Array[];
}

/** What is found of a file. */
export interface Report {
  verdict: Verdict;
  readable: boolean;
  /** Why it can't be read, for its sender; null when it can. */
  reason: string | null;
  /** Of the file, in lower-case hex. */
  sha256: string;
  /** In the order in which they were made; of very many the last ones. */
  signatures: readonly VerifiedSignature[];
  /** Null: no signed document of this service is this very file. */
  document: KnownDocument | null;
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
const NOT_READABLE = "The document is not a PDF that can be read.";

/** Checks files by themselves and by what is on record. */
export const createVerifier = ({ pdf, roots, ...records }: VerifierDependencies): Verifier => ({
  async verify(bytes, caller) {
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const [{ found, refusal }, { document, upToDate }] = await Promise.all([
      examine(() => pdf.verify(bytes, roots, caller)),
      findKnownDocument(records, sha256),
    ]);
    const readable = found?.readable === true;
    const verdict = verdictOf(found, document);
    if (verdict === "unrecorded" && !upToDate) throw new NotYetThere();
    return {
      verdict,
      readable,
      reason: readable ? null : (refusal ?? NOT_READABLE),
      sha256,
      signatures: found?.signatures.slice(-MAX_SIGNATURES) ?? [],
      document,
    };
  },
});

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
