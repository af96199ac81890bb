import type { BulkEvent } from "@rubrica/events";
import { DomainError, type Fold } from "./decider.ts";

type BulkRequested = Extract<BulkEvent, { type: "BulkRequested" }>["data"];

/** A bulk call: asked for, then refused for want of credits, or accepted once every row's document was requested. */
export type Bulk =
  | { status: "none" }
  | ({
      status: "requested" | "refused" | "accepted";
      /** The key of the template and the rows was destroyed. */
      rowsForgotten: boolean;
    } & BulkRequested);
type RequestedBulk = Exclude<Bulk, { status: "none" }>;

const evolve = (bulk: Bulk, event: BulkEvent): Bulk => {
  if (bulk.status === "none") {
    return event.type === "BulkRequested" ? { status: "requested", rowsForgotten: false, ...event.data } : bulk;
  }
  switch (event.type) {
    case "BulkRequested":
      return bulk;
    case "BulkRefused":
      return { ...bulk, status: "refused" };
    case "BulkAccepted":
      return { ...bulk, status: "accepted" };
    case "BulkRowsForgotten":
      return { ...bulk, rowsForgotten: true };
    default:
      return event satisfies never;
  }
};

/** A bulk call as its stream tells it. */
export const bulkFold: Fold<Bulk, BulkEvent> = { initial: { status: "none" }, evolve };

const requestedBulk = (bulk: Bulk): RequestedBulk => {
  if (bulk.status === "none") throw new DomainError("unknown_bulk", "there is no such bulk call");
  return bulk;
};

/** What of a bulk call decides about what is due, for the decider and the record of obligations alike. */
export type BulkStanding = Pick<RequestedBulk, "status" | "rowsForgotten">;

/** Whether the call is to be brought on to its end. */
export const isContinuationDue = ({ status }: BulkStanding): boolean => status === "requested";

/** Whether the rows may be forgotten, as far as the call itself goes: their documents may still need them. */
export const mayForgetRows = (bulk: BulkStanding): boolean => !isContinuationDue(bulk) && !bulk.rowsForgotten;

/** Records a bulk call that passed its checks, its template and rows durable; once. */
export const requestBulk = (bulk: Bulk, { bulkId, template, rows, rowCount }: BulkRequested): BulkEvent[] =>
  bulk.status === "none" ? [{ type: "BulkRequested", data: { bulkId, template, rows, rowCount }, personal: null }] : [];

/** The account has too few credits for all rows: nothing of the call is sent. Nothing once it was accepted. */
export const refuseBulk = (bulk: Bulk): BulkEvent[] =>
  isContinuationDue(requestedBulk(bulk)) ? [{ type: "BulkRefused", data: { reason: "credits" }, personal: null }] : [];

/** The call is paid for and every row's document was requested; once. @throws {DomainError} bulk_refused */
export const acceptBulk = (bulk: Bulk): BulkEvent[] => {
  const { status } = requestedBulk(bulk);
  if (status === "refused") throw new DomainError("bulk_refused", "the call was refused");
  return status === "accepted" ? [] : [{ type: "BulkAccepted", data: {}, personal: null }];
};

/** The key of the template and the rows was destroyed; once. @throws {DomainError} bulk_open while the call goes on. */
export const recordRowsForgotten = (bulk: Bulk): BulkEvent[] => {
  const requested = requestedBulk(bulk);
  if (isContinuationDue(requested)) throw new DomainError("bulk_open", "the rows are still needed");
  return mayForgetRows(requested) ? [{ type: "BulkRowsForgotten", data: {}, personal: null }] : [];
};
