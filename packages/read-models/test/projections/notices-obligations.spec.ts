import { History, projected } from "@rubrica/test-kit/history";
import { expect, test } from "vitest";
import { noticesObligations } from "../../src/index.ts";

const notices = { kind: "notices", id: "n-1" } as const;
const ofNotices = (history: History) => projected(noticesObligations, history.events).get("n-1");

test("notices' obligation is a record of its own, until they are handled", () => {
  const history = new History();
  const { metadata } = history.add("NoticesReceived", {}, notices);
  const { accountId } = metadata;
  const due = () => {
    const record = ofNotices(history);
    return record && noticesObligations.partsOf?.(record).map(({ document }) => document);
  };
  const keyAt = (at: string) => expect.stringContaining(`handle-notices/${accountId}/${at}/`);
  expect(due()).toMatchObject([{ due: keyAt(metadata.at), noticesId: "n-1", accountId }]);
  const nextAttemptAt = "2026-11-22T00:00:00.000Z";
  history.add("NoticesPostponed", { data: { nextAttemptAt } }, notices);
  expect(due()).toMatchObject([{ due: keyAt(nextAttemptAt) }]);
  history.add("NoticesHandled", {}, notices);
  expect(ofNotices(history)).toBeUndefined();
});

test("events of other streams are none of its", () => {
  const history = new History();
  expect(noticesObligations.keysOf(history.add("DocumentRequested"))).toEqual([]);
  expect(noticesObligations.keysOf(history.add("MessageDelivered"))).toEqual([]);
});
