import { documentEvents, HEADS_ID, NOBODYS_ACCOUNT, sample } from "@rubrica/events";
import { History, ofSample, projected } from "@rubrica/test-kit/history";
import { describe, expect, test } from "vitest";
import { bulkObligations, headsObligations, noticesObligations, obligations } from "../../src/index.ts";

describe("the obligations of a document", () => {
  test("are records of their own, found by kind, account and due time, and by when they were opened", () => {
    const history = new History();
    history.add("DocumentRequested");
    const record = ofSample(obligations, history);
    const [obligation] = record.open;
    const { accountId, documentId } = sample;
    const due = `claim-turn/${accountId}/${obligation?.dueAt}/${obligation?.id}`;
    expect(obligations.partsOf?.(record)).toEqual([
      { id: `owed/${obligation?.id}`, document: { due, obligation, documentId, accountId } },
    ]);
    expect(obligations.indexes).toEqual([{ field: "due" }, { field: "obligation.since" }]);
  });

  test("go on with the phone line's events, by the document that they name", () => {
    const history = new History();
    history.add("DocumentRequested");
    const turn = history.add("TurnTaken");
    expect(obligations.keysOf(turn)).toEqual([sample.documentId]);
    history.add("SignerTurnCame");
    expect(ofSample(obligations, history).open.map(({ kind }) => kind)).toEqual(["send-template"]);
  });

  test("go on with the deliveries of webhooks, by the document that they name", () => {
    expect(obligations.keysOf(new History().add("WebhookDelivered"))).toEqual([sample.documentId]);
  });

  test("need no personal data but to tell receivers apart, until they are forgotten", () => {
    const named = new History();
    const forgotten = new History();
    named.add("DocumentRequested");
    forgotten.add("DocumentRequested", { personal: null });
    expect(ofSample(obligations, forgotten)).toEqual({ ...ofSample(obligations, named), receiver: null });
    for (const history of [named, forgotten]) history.add("DocumentErased");
    expect(ofSample(obligations, forgotten)).toEqual(ofSample(obligations, named));
  });

  test.each(documentEvents.map(({ type }) => type))("are touched by %s", (type) => {
    const history = new History();
    history.add("DocumentRequested");
    expect(obligations.keysOf(history.add(type))).toEqual([sample.documentId]);
    expect(ofSample(obligations, history).documentId).toBe(sample.documentId);
  });

  test("are none of an account's", () => {
    const event = new History().add("AccountOpened", {}, { kind: "account", id: sample.accountId });
    expect(obligations.keysOf(event)).toEqual([]);
  });
});

describe("the obligations of a bulk call", () => {
  const bulk = { kind: "bulk", id: sample.bulkId } as const;
  const ofBulk = (history: History) => projected(bulkObligations, history.events).get(sample.bulkId);

  test("each of a bulk call's obligations is a record of its own, found by kind, account and due time", () => {
    const history = new History();
    history.add("BulkRequested", {}, bulk);
    const record = ofBulk(history);
    const [obligation] = record?.open ?? [];
    const due = `continue-bulk/${sample.accountId}/${obligation?.dueAt}/${obligation?.id}`;
    expect(record && bulkObligations.partsOf?.(record)).toEqual([
      {
        id: `owed/${obligation?.id}`,
        document: { due, obligation, bulkId: sample.bulkId, accountId: sample.accountId },
      },
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
});

describe("the obligation of the log", () => {
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
});

describe("the obligation of notices", () => {
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
});
