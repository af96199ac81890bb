import { SignerCorrected, sample } from "@rubrica/events";
import { phoneLine } from "@rubrica/identity";
import { History, projected } from "@rubrica/test-kit/history";
import { expect, test } from "vitest";
import { listedDocumentsBy } from "../../src/projections/listed-documents.ts";

const hmacOf = (accountId: string, value: string) => Buffer.from(`${accountId}/${value}`).toString("base64url");
const listed = listedDocumentsBy(hmacOf);

const requested = (): History => {
  const history = new History();
  history.add("DocumentRequested");
  return history;
};
const recordOf = (history: History) => {
  const record = projected(listed, history.events).get(sample.documentId);
  if (!record) throw new Error("no record");
  return record;
};

test("a document is listed by its account, its status and its campaign, and named by HMACs alone", () => {
  const record = recordOf(requested());
  expect(record).toMatchObject({ status: "pending", end: null, erased: false });
  expect(record.byStatus).toContain(`${sample.accountId}/pending/`);
  expect(JSON.stringify(record)).not.toMatch(/Ana|5491122334455|30123456|Lease/);
  expect(listed.partsOf?.(record)).toHaveLength(3);
});

test.each([
  ["DocumentCompleted", {}, "signed", "signed"],
  ["Rejected", {}, "rejected", "rejected"],
  ["PreparationFailed", {}, "ended", "failed"],
  ["DocumentWithdrawn", { data: { reason: "canceled" } }, "ended", "canceled"],
  ["DocumentWithdrawn", { data: { reason: "expired" } }, "ended", "expired"],
  ["DocumentWithdrawn", { data: { reason: "erasure" } }, "ended", "erased"],
] as const)("%s %o ends it, once", (type, given, status, kind) => {
  const history = requested();
  const event = history.add(type, given as never);
  const once = recordOf(history);
  expect(once).toMatchObject({ status, end: { kind }, endRevision: "1" });
  expect(once.byStatus).toContain(`/${status}/`);
  expect(listed.project(once, event, sample.documentId)).toEqual(once);
});

test("its time is the last one that was said, and it ended then, whenever that was recorded", () => {
  const history = requested();
  const event = history.add("DocumentExpiryChanged", { data: { expiresAt: "2027-01-31T21:00:00.000Z" } });
  const record = recordOf(history);
  expect(record.expiresAt).toBe("2027-01-31T21:00:00.000Z");
  expect(listed.project(record, event, sample.documentId)).toEqual(record);
  history.add("DocumentWithdrawn", { data: { reason: "expired" } });
  expect(recordOf(history).end).toEqual({ kind: "expired", at: "2027-01-31T21:00:00.000Z" });
});

test("who was corrected is found by who they are since, and by nothing that they were", () => {
  const history = requested();
  const event = history.add("SignerCorrected");
  const record = recordOf(history);
  const found = JSON.stringify(listed.partsOf?.(record));
  const phoneIn = (name: "before" | "after") =>
    hmacOf(sample.accountId, `phone:${phoneLine(SignerCorrected.example.personal[name].phone)}`);
  expect(found).toContain(phoneIn("after"));
  expect(found).not.toContain(phoneIn("before"));
  expect(record.corrections).toEqual([{ signerId: sample.signerId, revision: "1" }]);
  expect(listed.project(record, event, sample.documentId)).toEqual(record);
});

test("an erased document is found by nobody any more", () => {
  const history = requested();
  history.add("DocumentErased");
  expect(listed.partsOf?.(recordOf(history))).toEqual([]);
});
