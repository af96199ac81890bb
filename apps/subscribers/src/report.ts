import { type Handlers, stepOf } from "@rubrica/commands";
import { hasEnded, recordReport } from "@rubrica/domain";
import type { Reports } from "@rubrica/report";
import { contextOf, LONG_WORK_MS, type Subscriber } from "./subscriber.ts";

// Trials come after the reports that somebody waits for: they take one of the processes that set reports, and leave the others.
const CONCURRENCY = 1;

export interface ReportSubscriberDependencies {
  handlers: Handlers;
  reports: Pick<Reports, "rehearse">;
}

/** Builds the legal report of a document that has ended once, as a trial, and records that it can be built. */
export const reportSubscriber = ({ handlers, reports }: ReportSubscriberDependencies): Subscriber => ({
  kind: "report",
  concurrency: CONCURRENCY,
  longestMs: LONG_WORK_MS,
  async meet(published) {
    const { documentId } = published;
    const document = await handlers.documents.load(documentId);
    if (document.status === "none" || !hasEnded(document) || document.reported) return;
    const sizeBytes = await reports.rehearse(documentId, `owed:${published.accountId}`);
    const context = stepOf(contextOf(published, "report"), "generated");
    await handlers.documents.handle(documentId, recordReport, { sizeBytes }, context);
  },
});
