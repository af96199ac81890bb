import type { Sealed } from "../port.ts";
import { type Authorities, endOf, saidBy } from "./authorities.ts";
import { fill, SignatureTooLong } from "./fill.ts";
import type { SealingRunner } from "./tasks.ts";
import type { ValidationData } from "./validation-data.ts";

/** What is reserved for a timestamp token: most fit in it; more is reserved for a larger one. */
export const TOKEN_BYTES = 8_192;
/** What is added to what a signature that was too long needs. */
const SPARE_BYTES = 1_024;
/** As long as a record of a seal takes why its level is lower. */
const MAX_REASON_LENGTH = 500;

/** Reserves so many bytes for a signature, and begins anew with more of them, once, where it does not fit in. */
export const withReserved = async <Result>(bytes: number, use: (bytes: number) => Promise<Result>): Promise<Result> => {
  try {
    return await use(bytes);
  } catch (error) {
    if (!(error instanceof SignatureTooLong)) throw error;
    return use(error.neededBytes + SPARE_BYTES);
  }
};

/** A file with validation data, where there is some, and a document timestamp over all of it. Throws `TimestampFailed`. */
export const withDocumentTimestamp = (
  runner: SealingRunner,
  bytes: Uint8Array,
  data: ValidationData | null,
  authorities: Authorities,
) =>
  withReserved(TOKEN_BYTES, async (contentsBytes) => {
    const prepared = await runner.run({ kind: "prepareArchive", bytes, data, contentsBytes });
    const token = await authorities.timestamp(prepared.digest);
    fill(prepared, token.token);
    return { bytes: prepared.bytes, token, timestamp: saidBy(token), provenUntil: endOf(token) };
  });

/**
 * What a seal counts as in a file that came with a revocation list whose issuer's own status it does not tell. All that the
 * seal needs is there; but what counts is what validators find.
 */
export const unprovenAs = (issuer: string): Pick<Sealed, "level" | "shortfall" | "isShortfallTemporary"> => {
  const shortfall = `the document came with a revocation list of ${issuer}, whose own status it does not tell`;
  return { level: "B-T", shortfall: shortfall.slice(0, MAX_REASON_LENGTH), isShortfallTemporary: false };
};
