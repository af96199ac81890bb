import { type BulkEvent, bulkEvents, type DomainEvent, sample } from "@rubrica/events";
import { preparationFailed, prepared, requestedInBulk } from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import {
  acceptBulk,
  bulkFold,
  bulkObligationsRecordId,
  evolveBulkObligations,
  type ObligingEvent,
  recordRowsForgotten,
  refuseBulk,
  requestBulk,
} from "../src/index.ts";
import { given as givenFold } from "../src/testing.ts";

const given = (...history: BulkEvent[]) => givenFold(bulkFold, ...history);
const { bulkId, accountId } = sample;
const call = { ...bulkEvents[0].example.data, rowCount: 2 };
const requested: BulkEvent = { type: "BulkRequested", data: call, personal: null };
const refused: BulkEvent = { type: "BulkRefused", data: { reason: "credits" }, personal: null };
const accepted: BulkEvent = { type: "BulkAccepted", data: {}, personal: null };
const forgotten: BulkEvent = { type: "BulkRowsForgotten", data: {}, personal: null };

describe("a bulk call", () => {
  test("is recorded, once", () => {
    given().when(requestBulk, call).then(requested);
    given(requested).when(requestBulk, call).then();
  });
  test("is refused for want of credits, once, and then not accepted", () => {
    given(requested).when(refuseBulk, undefined).then(refused);
    given(requested, refused).when(refuseBulk, undefined).then();
    given(requested, refused).when(acceptBulk, undefined).fails("bulk_refused");
  });
  test("is accepted, once, and then not refused", () => {
    given(requested).when(acceptBulk, undefined).then(accepted);
    given(requested, accepted).when(acceptBulk, undefined).then();
    given(requested, accepted).when(refuseBulk, undefined).then();
  });
  test("has its rows forgotten when it is over, once", () => {
    given(requested).when(recordRowsForgotten, undefined).fails("bulk_open");
    given(requested, accepted).when(recordRowsForgotten, undefined).then(forgotten);
    given(requested, refused).when(recordRowsForgotten, undefined).then(forgotten);
    given(requested, refused, forgotten).when(recordRowsForgotten, undefined).then();
  });
  test("that is unknown is neither refused, accepted nor forgotten", () => {
    given().when(refuseBulk, undefined).fails("unknown_bulk");
    given().when(acceptBulk, undefined).fails("unknown_bulk");
    given().when(recordRowsForgotten, undefined).fails("unknown_bulk");
  });
});

describe("what a bulk call owes", () => {
  const recorded = (event: DomainEvent, n: number): ObligingEvent => ({
    ...event,
    id: `e${n}`,
    streamKind: event.type.startsWith("Bulk") ? "bulk" : "document",
    streamId: event.type.startsWith("Bulk") ? bulkId : `document ${n}`,
    metadata: { at: `2026-11-21T15:0${n}:00.000Z`, accountId },
  });
  const after = (...history: DomainEvent[]) =>
    history.map((event, index) => recorded(event, index + 1)).reduce(evolveBulkObligations, null);
  const owed = (...history: DomainEvent[]) => after(...history)?.open.map(({ id }) => id);

  test("is going on, some time after who began it could have ended it", () => {
    expect(after(requested)).toMatchObject({
      bulkId,
      accountId,
      open: [{ id: "e1:continue-bulk", kind: "continue-bulk", dueAt: "2026-11-21T15:01:30.000Z" }],
    });
    expect(owed(requested, prepared)).toEqual(["e1:continue-bulk"]);
  });
  test("is forgetting the rows at once, when it was refused", () => {
    expect(after(requested, refused)?.open).toMatchObject([
      { id: "e2:forget-rows", dueAt: "2026-11-21T15:02:00.000Z" },
    ]);
    expect(owed(requested, refused, forgotten)).toEqual([]);
  });
  test("is forgetting the rows when the last one is prepared, or can't be", () => {
    expect(owed(requested, accepted)).toEqual([]);
    expect(owed(requested, accepted, prepared)).toEqual([]);
    expect(owed(requested, accepted, prepared, preparationFailed)).toEqual(["e4:forget-rows"]);
    expect(owed(requested, prepared, prepared)).toEqual(["e1:continue-bulk"]);
    expect(owed(requested, prepared, prepared, accepted)).toEqual(["e4:forget-rows"]);
    expect(after(requested, prepared, prepared, accepted, forgotten)).toMatchObject({ open: [] });
  });
  test("is told by its own events and those of its rows' preparation", () => {
    expect(bulkObligationsRecordId(recorded(requested, 1))).toBe(bulkId);
    expect(bulkObligationsRecordId(recorded(prepared, 1))).toBe(bulkId);
    expect(bulkObligationsRecordId(recorded(preparationFailed, 1))).toBe(bulkId);
    expect(bulkObligationsRecordId(recorded(requestedInBulk(), 1))).toBeUndefined();
    expect(evolveBulkObligations(null, recorded(prepared, 1))).toBeNull();
  });
});
