import { type BulkStanding, isContinuationDue, mayForgetRows } from "../bulk.ts";
import type { AttemptPolicy } from "./kind.ts";
import { fresh, type Obligation, type ObligingEvent } from "./record.ts";

/** How long the request is left to go on by itself before its continuation is published as owed. */
const GRACE_MS = 30_000;

/** What a bulk call owes. */
export const bulkKinds = {
  // Few at a time: one may prepare hundreds of rows.
  "continue-bulk": { limits: { inAll: 16, anAccount: 2 } },
  "forget-rows": {},
} satisfies Readonly<Record<string, AttemptPolicy>>;

/** A bulk call's open obligations, and what decides about them. JSON; names no person. */
export type BulkObligationsRecord = BulkStanding & {
  bulkId: string;
  accountId: string;
  rowCount: number;
  /** Rows whose document was prepared, can't be, or was taken back before. */
  settledRows: number;
  /** What is told of it can't be read: it owes nothing. */
  setAside: boolean;
  open: readonly Obligation[];
};

/** Which bulk call's record an event belongs to, or undefined when it is of none. */
export const bulkObligationsRecordId = (event: ObligingEvent): string | undefined => {
  if (event.streamKind === "bulk") return event.streamId;
  if (event.type === "DocumentWithdrawn") return event.data.bulkId ?? undefined;
  return event.type === "DocumentPrepared" || event.type === "PreparationFailed" ? event.data.bulkId : undefined;
};

const progressed = (record: BulkObligationsRecord, { type }: ObligingEvent): BulkObligationsRecord => {
  switch (type) {
    case "BulkRefused":
      return { ...record, status: "refused" };
    case "BulkAccepted":
      return { ...record, status: "accepted" };
    case "BulkRowsForgotten":
      return { ...record, rowsForgotten: true };
    case "DocumentPrepared":
    case "PreparationFailed":
    case "DocumentWithdrawn":
      return { ...record, settledRows: record.settledRows + 1 };
    default:
      return record;
  }
};

const requestedRecord = ({
  data: { bulkId, rowCount },
  metadata: { accountId },
}: Extract<ObligingEvent, { type: "BulkRequested" }>): BulkObligationsRecord => ({
  bulkId,
  accountId,
  rowCount,
  settledRows: 0,
  status: "requested",
  rowsForgotten: false,
  setAside: false,
  open: [],
});

/** A call that was begun goes on to its end; then, once no row needs them any more, the rows are forgotten. */
const owedBy = (record: BulkObligationsRecord): keyof typeof bulkKinds | null => {
  if (isContinuationDue(record)) return "continue-bulk";
  const needed = record.status === "accepted" && record.settledRows < record.rowCount;
  return !needed && mayForgetRows(record) ? "forget-rows" : null;
};

/** A bulk call's record after one more event, or null before it was requested. Pure; apply each event once. */
export const evolveBulkObligations = (
  record: BulkObligationsRecord | null,
  event: ObligingEvent,
): BulkObligationsRecord | null => {
  if (!record && event.type !== "BulkRequested") return null;
  if (record && (record.setAside || event.type === "BulkRequested")) return record;
  const after = event.type === "BulkRequested" ? requestedRecord(event) : record && progressed(record, event);
  if (!after) return null;
  const kind = owedBy(after);
  if (!kind) return { ...after, open: [] };
  const graceMs = kind === "continue-bulk" ? GRACE_MS : 0;
  const dueAt = new Date(Date.parse(event.metadata.at) + graceMs).toISOString();
  const id = `${event.id}:${kind}`;
  const owed = after.open.find((obligation) => obligation.kind === kind) ?? {
    ...fresh,
    id,
    kind,
    signerId: null,
    dueAt,
    since: event.metadata.at,
  };
  return { ...after, open: [owed] };
};
