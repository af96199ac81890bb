import { sample } from "@rubrica/events";
import { History, projected } from "@rubrica/test-kit/history";
import { expect, test } from "vitest";
import { bulkObligations } from "../../src/index.ts";

const bulk = { kind: "bulk", id: sample.bulkId } as const;
const ofBulk = (history: History) => projected(bulkObligations, history.events).get(sample.bulkId);

test("each of a bulk call's obligations is a record of its own, found by kind, account and due time", () => {
  const history = new History();
  history.add("BulkRequested", {}, bulk);
  const record = ofBulk(history);
  const [obligation] = record?.open ?? [];
  const due = `continue-bulk/${sample.accountId}/${obligation?.dueAt}/${obligation?.id}`;
  expect(record && bulkObligations.partsOf?.(record)).toEqual([
    { id: `owed/${obligation?.id}`, document: { due, obligation, bulkId: sample.bulkId, accountId: sample.accountId } },
  ]);
});

test("a bulk call's obligations go on with its rows' documents", () => {
  const history = new History();
  history.add("BulkRequested", { data: { rowCount: 2 } }, bulk);
  history.add("BulkAccepted", {}, bulk);
  const prepared = history.add("DocumentPrepared");
  expect(bulkObligations.keysOf(prepared)).toEqual([sample.bulkId]);
  expect(ofBulk(history)?.open).toEqual([]);
  history.add("PreparationFailed", {}, { kind: "document", id: sample.otherDocumentId });
  expect(ofBulk(history)?.open.map(({ kind }) => kind)).toEqual(["forget-rows"]);
  history.add("BulkRowsForgotten", {}, bulk);
  expect(ofBulk(history)?.open).toEqual([]);
});

test("other documents are none of a bulk call's", () => {
  const history = new History();
  expect(bulkObligations.keysOf(history.add("DocumentRequested"))).toEqual([]);
  expect(bulkObligations.keysOf(history.add("Rejected"))).toEqual([]);
});
