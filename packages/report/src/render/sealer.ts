import { type PdfEngine, type Sealing, TimestampFailed } from "@rubrica/pdf";
import type { Clock } from "@rubrica/runtime";

/** After a timestamp authority failed, reports go without for so long: they would wait for it one after the other. */
const WITHOUT_MS = 60_000;

/** Seals a report. @throws {CertificateRevoked} where timestamps come with a look at the seal's certificate. */
export type ReportSealer = (report: Uint8Array, sealing: Sealing, caller: string) => Promise<Uint8Array>;

/**
 * Seals reports at the level of documents. Where no timestamp is to be had, a report is sealed at B-B: it is made anew on
 * each call, and has one again when the authority is back.
 */
export const createReportSealer = (pdf: Pick<PdfEngine, "seal">, clock: Clock): ReportSealer => {
  let withoutUntilMs = Number.NEGATIVE_INFINITY;
  return async (report, { timestamps, ...plain }, caller) => {
    if (timestamps && clock.monotonicMs() >= withoutUntilMs) {
      try {
        return (await pdf.seal(report, { ...plain, timestamps }, caller)).bytes;
      } catch (error) {
        if (!(error instanceof TimestampFailed)) throw error;
        withoutUntilMs = clock.monotonicMs() + WITHOUT_MS;
      }
    }
    return (await pdf.seal(report, plain, caller)).bytes;
  };
};
