import { documentEvents, sample } from "@rubrica/events";
import { History, ofSample } from "@rubrica/test-kit/history";
import { describe, expect, test } from "vitest";
import { obligations } from "../../src/index.ts";

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
