import {
  type CommittedHead,
  type DomainEvent,
  HEADS_ID,
  HeadsCommitted,
  type HeadsEvent,
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

describe("heads of the log", () => {
  test("the first is committed", () => given().when(commitHead, head()).then(committed()));
  test("each goes on from the newest", () => {
    const next = { size: 5, root: "77".repeat(32), previous: { size: 3, root: example.root } };
    given(committed()).when(commitHead, head(next)).then(committed(next));
  });
  test("one that goes on from another is not, since another came first", () => {
    given(committed())
      .when(commitHead, head({ size: 5 }))
      .then();
    const previous = { size: 3, root: "11".repeat(32) };
    given(committed())
      .when(commitHead, head({ size: 5, previous }))
      .then();
  });
  test("one that is over no more is not", () => {
    given(committed())
      .when(commitHead, head({ previous: { size: 3, root: example.root } }))
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
      .when(commitHead, head({ size: 2 }))
      .then(committed({ size: 2 }));
  });
});

describe("what is owed of the log", () => {
  const minutes: Record<string, number> = {};
  const at = (minute: number) => new Date(Date.parse("2026-11-21T15:00:00.000Z") + minute * 60_000).toISOString();
  const recorded = (type: string, minute: number, data: object, streamKind: string) => {
    const stream = streamKind === "heads" ? "heads-log" : "document-d";
    const revision = minutes[stream] ?? 0;
    minutes[stream] = revision + 1;
    const metadata = { at: at(minute), accountId: sample.accountId };
    const event = { type, data, personal: null } as DomainEvent;
    return { ...event, id: `e${minute}`, stream, revision: BigInt(revision), streamKind, streamId: "x", metadata };
  };
  type Recorded = Parameters<typeof evolveHeadsObligations>[1];
  const change = (minute: number) => recorded("SigningPageOpened", minute, {}, "document") as Recorded;
  const requested = (minute: number) => recorded("HeadRequested", minute, {}, "heads") as Recorded;
  const after = (minute: number, of: { stream: string; revision: bigint } | null) =>
    recorded(
      "HeadsCommitted",
      minute,
      head({ lastChange: of && { stream: of.stream, revision: Number(of.revision) } }),
      "heads",
    ) as Recorded;
  const openAfter = (...events: Recorded[]) =>
    events
      .reduce<HeadsObligationsRecord | null>(evolveHeadsObligations, null)
      ?.open.map(({ id, dueAt }) => ({ id, dueAt }));

  test("is a head, an hour after the first change", () => {
    expect(openAfter(change(0), change(5))).toEqual([{ id: "e0:commit-heads", dueAt: at(60) }]);
  });
  test("is nothing once one is over all changes, however long nothing else changes", () => {
    const changed = change(0);
    expect(openAfter(changed, after(60, changed))).toEqual([]);
    expect(openAfter(changed, after(60, changed), after(61, changed))).toEqual([]);
  });
  test("is one again with the next change", () => {
    const changed = change(0);
    expect(openAfter(changed, after(60, changed), change(90))).toEqual([{ id: "e90:commit-heads", dueAt: at(150) }]);
  });
  test("is one for what came between a head and its place in the log", () => {
    const changed = change(0);
    const open = openAfter(changed, change(59), after(60, changed));
    expect(open).toEqual([{ id: "e60:commit-heads", dueAt: at(120) }]);
  });
  test("is none for what can't be read, again and again", () => {
    const changed = change(0);
    const unknown = { stream: "document-damaged", revision: 7n };
    expect(openAfter(changed, after(60, unknown), after(120, unknown))).toEqual([]);
  });
  test("is one at once when it is asked for, as the same obligation where one is open", () => {
    const changed = change(0);
    expect(openAfter(changed, requested(10))).toEqual([{ id: "e0:commit-heads", dueAt: at(10) }]);
    expect(openAfter(changed, after(5, changed), requested(10))).toEqual([{ id: "e10:commit-heads", dueAt: at(10) }]);
  });
  test("is nothing where heads can't be read", () => {
    const record = evolveHeadsObligations(null, change(0));
    const set = { ...record, setAside: true, open: [] };
    expect(evolveHeadsObligations(set, change(1))).toBe(set);
  });
  test("is told by every event", () => expect(headsObligationsRecordId(change(0))).toBe(HEADS_ID));
});
