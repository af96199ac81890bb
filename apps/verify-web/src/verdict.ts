import type { Verification } from "@rubrica/pdf";
import type { KnownDocument } from "./known-document.ts";

/** What a file is found to be, in one word; `valid` is the only one that vouches for a signed document. */
export const verdicts = [
  "valid",
  "unrecorded",
  "certificate_invalid",
  "evidence_broken",
  "changed",
  "foreign",
  "unsigned",
  "unreadable",
] as const;
export type Verdict = (typeof verdicts)[number];

/**
 * Judges a file by what it says itself and by what is on record.
 * @param found null when the file could not be read
 * @param document the document whose sealed file has the very same bytes, if there is one
 */
export const verdictOf = (found: Verification | null, document: KnownDocument | null): Verdict => {
  if (!found?.readable) return "unreadable";
  const { signatures } = found;
  if (document) {
    if (!document.chainIntact) return "evidence_broken";
    if (!signatures.some(({ intact }) => intact === true)) return "changed";
    return isWorthless(found) ? "certificate_invalid" : "valid";
  }
  if (signatures.length === 0) return "unsigned";
  if (found.untouched) return isWorthless(found) ? "certificate_invalid" : "unrecorded";
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

/** Whether the last seal of this service was made, as far as is proven, when its certificate was none anymore. */
const isWorthless = ({ signatures }: Verification): boolean => {
  const seal = signatures.findLast(({ kind, trusted, intact }) => kind === "signature" && trusted && intact === true);
  return ["expired", "revoked", "not_yet_valid"].includes(seal?.standing?.status ?? "");
};
