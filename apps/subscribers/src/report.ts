import { type Handlers, stepOf } from "@rubrica/commands";
import { hasEnded, recordReport } from "@rubrica/domain";
import type { Reports } from "@rubrica/report";
import { contextOf, LONG_WORK_MS, type Subscriber } from "./subscriber.ts";

// What a document owes is tried out behind what somebody waits for: one of the processes that set reports is enough.
const CONCURRENCY = 1;

export interface ReportSubscriberDependencies {
  handlers: Handlers;
  reports: Pick<Reports, "rehearse">;
}

/** Builds the legal report of a document that has ended, once as a trial: that it can be had is what is recorded. */
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
