import { HEADS_ID, NOBODYS_ACCOUNT } from "@rubrica/events";
import { History, projected } from "@rubrica/test-kit/history";
import { expect, test } from "vitest";
import { headsObligations } from "../../src/index.ts";

const heads = { kind: "heads", id: HEADS_ID } as const;
const ofLog = (history: History) => projected(headsObligations, history.events).get(HEADS_ID);
const dueOf = (history: History) => {
  const record = ofLog(history);
  return record && headsObligations.partsOf?.(record).map(({ document }) => document);
};

test("that the log changed is one obligation of its own, until a head is committed", () => {
  const history = new History();
  history.add("DocumentRequested", { at: "2026-11-21T15:00:00.000Z" });
  history.add("SigningPageOpened");
  const due = expect.stringContaining(`commit-heads/${NOBODYS_ACCOUNT}/2026-11-21T16:00:00.000Z/`);
  expect(dueOf(history)).toMatchObject([{ due, headsId: HEADS_ID, accountId: NOBODYS_ACCOUNT }]);
  history.add("HeadsCommitted", {}, heads);
  expect(dueOf(history)).toEqual([]);
});

test("events that change nothing of it leave the same record, which is not written then", () => {
  const history = new History();
  history.add("DocumentRequested");
  const record = ofLog(history) ?? null;
  expect(headsObligations.sparse).toBe(true);
  expect(headsObligations.project(record, history.add("SigningPageOpened"), HEADS_ID)).toBe(record);
});

test("where heads can't be read, nothing is owed of them", () => {
  const history = new History();
  const event = history.add("HeadsCommitted", {}, heads);
  const { setAside } = headsObligations;
  const unreadable = { ...event, reason: "it is damaged", accountId: null, at: null };
  expect(setAside?.keysOf(unreadable)).toEqual([HEADS_ID]);
  expect(setAside?.keysOf({ ...unreadable, streamKind: "document" })).toEqual([]);
});
