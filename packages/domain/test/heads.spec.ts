import {
  type CommittedHead,
  type DomainEvent,
  HEADS_ID,
  HeadsCommitted,
  type HeadsEvent,
  type StreamKind,
  sample,
} from "@rubrica/events";
import { describe, expect, test } from "vitest";
import {
  acceptLoss,
  commitHead,
  evolveHeadsObligations,
  type HeadsObligationsRecord,
  headsFold,
  headsObligationsRecordId,
  type ObligingEvent,
  requestHead,
} from "../src/index.ts";
import { given as givenOf } from "../src/testing.ts";

const given = (...history: HeadsEvent[]) => givenOf(headsFold, ...history);
const example = HeadsCommitted.example.data;
const head = (data: Partial<CommittedHead> = {}): CommittedHead => ({ ...example, previous: null, ...data });
const committed = (data: Partial<CommittedHead> = {}): HeadsEvent => ({
  type: "HeadsCommitted",
  data: head(data),
  personal: null,
});

const seen = { size: example.size, root: example.root };

describe("heads of the log", () => {
  test("the first is committed", () => given().when(commitHead, { head: head(), seen: null }).then(committed()));
  test("each goes on from the one that was seen", () => {
    const next = { size: 5, root: "77".repeat(32), previous: seen };
    given(committed())
      .when(commitHead, { head: head(next), seen })
      .then(committed(next));
  });
  test("one goes on from its own one where the one that was seen is of nobody", () => {
    const forged = committed({ size: 900, root: "66".repeat(32) });
    const next = { size: 5, root: "77".repeat(32), previous: seen };
    given(committed(), forged)
      .when(commitHead, { head: head(next), seen: { size: 900, root: "66".repeat(32) } })
      .then(committed(next));
  });
  test("one that was begun when another was the last is not, since another came first", () => {
    given(committed())
      .when(commitHead, { head: head({ size: 5 }), seen: null })
      .then();
    const other = { size: 3, root: "11".repeat(32) };
    given(committed())
      .when(commitHead, { head: head({ size: 5, previous: other }), seen: other })
      .then();
  });
  test("one that is over no more is not", () => {
    given(committed())
      .when(commitHead, { head: head({ previous: seen }), seen })
      .then();
  });
  test("one may be asked for", () => {
    given(committed()).when(requestHead, {}).then({ type: "HeadRequested", data: {}, personal: null });
  });
  test("that something was lost is recorded", () => {
    const loss = { head: { size: 3, root: example.root }, streams: 2 };
    const accepted: HeadsEvent = { type: "LossAccepted", data: loss, personal: null };
    given(committed()).when(acceptLoss, loss).then(accepted);
    // The next one is over the log as it is then.
    given(committed(), accepted)
      .when(commitHead, { head: head({ size: 2 }), seen: null })
      .then(committed({ size: 2 }));
  });
});

describe("what is owed of the log", () => {
  const at = (minute: number) => new Date(Date.parse("2026-11-21T15:00:00.000Z") + minute * 60_000).toISOString();
  const recorded = (event: DomainEvent, minute: number, streamKind: StreamKind): ObligingEvent => ({
    ...event,
    id: `e${minute}`,
    streamKind,
    streamId: "x",
    metadata: { at: at(minute), accountId: sample.accountId },
  });
  const opened = { type: "SigningPageOpened", data: { signerId: sample.signerId }, personal: null } as DomainEvent;
  const change = (minute: number) => recorded(opened, minute, "document");
  const requested = (minute: number) => recorded({ type: "HeadRequested", data: {}, personal: null }, minute, "heads");
  const headAt = (minute: number, wentOn = false) => recorded(committed({ wentOn }), minute, "heads");
  const openAfter = (...events: ObligingEvent[]) =>
    events
      .reduce<HeadsObligationsRecord | null>(evolveHeadsObligations, null)
      ?.open.map(({ id, dueAt }) => ({ id, dueAt }));

  test("is a head, an hour after the first change", () => {
    expect(openAfter(change(0), change(5))).toEqual([{ id: "e0:commit-heads", dueAt: at(60) }]);
  });
  test("is nothing once one is committed, however long nothing else changes", () => {
    expect(openAfter(change(0), headAt(60))).toEqual([]);
    expect(openAfter(change(0), headAt(60), headAt(61))).toEqual([]);
  });
  test("is one again with the next change", () => {
    expect(openAfter(change(0), headAt(60), change(90))).toEqual([{ id: "e90:commit-heads", dueAt: at(150) }]);
  });
  test("is one for what came between a head and its place in the log", () => {
    expect(openAfter(change(0), headAt(60, true))).toEqual([{ id: "e60:commit-heads", dueAt: at(120) }]);
  });
  test("is one at once when it is asked for, as the same obligation where one is open", () => {
    expect(openAfter(change(0), requested(10))).toEqual([{ id: "e0:commit-heads", dueAt: at(10) }]);
    expect(openAfter(change(0), headAt(5), requested(10))).toEqual([{ id: "e10:commit-heads", dueAt: at(10) }]);
  });
  test("is left as it was by further changes: nothing is written then", () => {
    const record = evolveHeadsObligations(null, change(0));
    expect(evolveHeadsObligations(record, change(1))).toBe(record);
  });
  test("is nothing where heads can't be read", () => {
    const record = evolveHeadsObligations(null, change(0));
    const set = { ...record, setAside: true, open: [] };
    expect(evolveHeadsObligations(set, change(1))).toBe(set);
  });
  test("is told by every event", () => expect(headsObligationsRecordId(change(0))).toBe(HEADS_ID));
});
