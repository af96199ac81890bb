import type { IdentityPerson, PhotoVerdict } from "../provider/port.ts";
import { namesAgree } from "./names.ts";
import { numberAgreement } from "./numbers.ts";
import { readMrz } from "./read.ts";

/** Why a machine-readable zone speaks against a person. */
export type MrzReason = "unreadable" | "checksum" | "expired" | "number_mismatch" | "name_mismatch";

/** What a machine-readable zone says of the person who was asked to sign. */
export interface MrzVerdict extends PhotoVerdict {
  reason: MrzReason | null;
}

/**
 * Whether a document's machine-readable zone is that of a person: its check digits are right, it is valid today, and its
 * number (see `numberAgreement`) and name (see `namesAgree`) are the person's.
 *
 * @param lines as read from the document. @param today `YYYY-MM-DD`; a document is valid through its last day.
 */
export const mrzAgrees = (lines: readonly string[], person: IdentityPerson, today: string): MrzVerdict => {
  const mrz = readMrz(lines);
  if (!mrz) return rejected("unreadable");
  if (!mrz.isChecked) return rejected("checksum");
  if (mrz.expiresOn !== null && mrz.expiresOn < today) return rejected("expired");
  const number = numberAgreement(mrz, person.idNumber, person.idNumberCountry);
  if (number === "other") return rejected("number_mismatch");
  if (!namesAgree(mrz, person.name, { isWhole: number === "untold" })) return rejected("name_mismatch");
  return { result: "approved", reason: null };
};

const rejected = (reason: MrzReason): MrzVerdict => ({ result: "rejected", reason });
