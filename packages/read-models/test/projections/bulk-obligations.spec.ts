import { sample } from "@rubrica/events";
import { expect, test } from "vitest";
import { bulkObligations } from "../../src/index.ts";
import { History, projected } from "./history.ts";

const bulk = { kind: "bulk", id: sample.bulkId } as const;
const ofBulk = (history: History) => projected(bulkObligations, history.events).get(sample.bulkId);

test("a bulk call's obligations are found by when the next of them is due", () => {
  const history = new History();
  history.add("BulkRequested", {}, bulk);
  const record = ofBulk(history);
  expect(bulkObligations.indexes).toEqual([{ field: "nextDueAt" }]);
  expect(record?.open.map(({ kind }) => kind)).toEqual(["continue-bulk"]);
  expect(record?.nextDueAt).toBe(record?.open[0]?.dueAt);
});

test("a bulk call's obligations go on with its rows' documents", () => {
  const history = new History();
  history.add("BulkRequested", { data: { rowCount: 2 } }, bulk);
  history.add("BulkAccepted", {}, bulk);
  const prepared = history.add("DocumentPrepared");
  expect(bulkObligations.keysOf(prepared)).toEqual([sample.bulkId]);
  expect(ofBulk(history)?.nextDueAt).toBeNull();
  history.add("PreparationFailed", {}, { kind: "document", id: sample.otherDocumentId });
  expect(ofBulk(history)?.open.map(({ kind }) => kind)).toEqual(["forget-rows"]);
  history.add("BulkRowsForgotten", {}, bulk);
  expect(ofBulk(history)?.nextDueAt).toBeNull();
});

test("other documents are none of a bulk call's", () => {
  const history = new History();
  expect(bulkObligations.keysOf(history.add("DocumentRequested"))).toEqual([]);
  expect(bulkObligations.keysOf(history.add("Rejected"))).toEqual([]);
});
