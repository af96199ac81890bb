import { documentEvents, sample } from "@rubrica/events";
import { History, projected } from "@rubrica/test-kit/history";
import { describe, expect, test } from "vitest";
import { customIdsBy } from "../../src/index.ts";

const person = { idCustom: "7", name: "Ana", idNumber: "1", idNumberCountry: null, phone: "598", email: null };
const request = (history: History, documentId: string, signerId: string, accountId = sample.accountId) =>
  history.add(
    "DocumentRequested",
    {
      data: {
        documentId,
        signers: [{ signerId, lineId: null, order: 0, group: 0, placement: { pages: 1, x: 1, y: 1 } }],
      },
      personal: { signers: [person] },
      accountId,
    },
    { kind: "document", id: documentId },
  );
/** 64 hex digits, as HMACs are. */
const hmacOf = (accountId: string, idCustom: string) =>
  Buffer.from(accountId + idCustom)
    .toString("hex")
    .slice(-64);
const customIds = customIdsBy(hmacOf);
const key = hmacOf(sample.accountId, "7");

test("an integrator's id means the signer of the newest document that has it", () => {
  const history = new History();
  request(history, sample.documentId, sample.signerId);
  request(history, sample.otherDocumentId, sample.keyId);
  history.add("DocumentSigned");
  expect(projected(customIds, history.events).get(key)).toEqual({
    documentId: sample.otherDocumentId,
    signerId: sample.keyId,
    requestedAt: "2026-11-21T15:00:02.500Z",
  });
});

test("the same id in another account is another", () => {
  const history = new History();
  request(history, sample.documentId, sample.signerId);
  request(history, sample.otherDocumentId, sample.keyId, sample.teamId);
  const records = projected(customIds, history.events);
  expect([records.get(key)?.documentId, records.get(hmacOf(sample.teamId, "7"))?.documentId]).toEqual([
    sample.documentId,
    sample.otherDocumentId,
  ]);
});

test("each signer of a document is found by their own id", () => {
  const history = new History();
  const placement = { pages: 1, x: 1, y: 1 };
  history.add("DocumentRequested", {
    data: {
      signers: [
        { signerId: sample.signerId, lineId: null, order: 0, group: 0, placement },
        { signerId: sample.keyId, lineId: null, order: 1, group: 1, placement },
      ],
    },
    personal: { signers: [person, { ...person, idCustom: "8" }] },
  });
  const records = projected(customIds, history.events);
  expect(records.get(key)?.signerId).toBe(sample.signerId);
  expect(records.get(hmacOf(sample.accountId, "8"))?.signerId).toBe(sample.keyId);
});

describe("an erased document", () => {
  const requestedAt = (event: { metadata: { at: string } }) => event.metadata.at;
  const erase = (history: History, documentId: string, signerId: string, at: string) =>
    history.add(
      "DocumentErased",
      { data: { requestedAt: at, customIds: [{ signerId, hmac: key }] } },
      { kind: "document", id: documentId },
    );

  test("is found by what its erasure left, whether or not anybody can read its request", () => {
    const history = new History();
    const at = requestedAt(request(history, sample.documentId, sample.signerId));
    erase(history, sample.documentId, sample.signerId, at);
    const before = projected(customIds, history.events);
    for (const event of history.events) event.personal = null;
    expect(projected(customIds, history.events)).toEqual(before);
    expect(before.get(key)).toEqual({
      documentId: sample.documentId,
      signerId: sample.signerId,
      requestedAt: at,
    });
  });

  test("takes no id from a newer document, and keeps its own from an older one", () => {
    for (const erased of [0, 1]) {
      const history = new History();
      const first = requestedAt(request(history, sample.documentId, sample.signerId));
      const second = requestedAt(request(history, sample.otherDocumentId, sample.keyId));
      if (erased === 0) erase(history, sample.documentId, sample.signerId, first);
      else erase(history, sample.otherDocumentId, sample.keyId, second);
      const live = projected(customIds, history.events).get(key);
      expect(live?.documentId).toBe(sample.otherDocumentId);
      const unreadable = history.events[erased];
      if (unreadable) unreadable.personal = null;
      expect(projected(customIds, history.events).get(key)).toEqual(live);
    }
  });
});

test("a request that nobody can read means nobody", () => {
  const history = new History();
  history.add("DocumentRequested", { personal: null });
  expect(projected(customIds, history.events).size).toBe(0);
});

test("a request applied twice changes nothing", () => {
  const history = new History();
  const event = request(history, sample.documentId, sample.signerId);
  const once = projected(customIds, history.events).get(key) ?? null;
  expect(once).not.toBeNull();
  expect(customIds.project(once, event, key)).toEqual(once);
});

test.each(
  documentEvents.map(({ type }) => type).filter((type) => type !== "DocumentRequested" && type !== "DocumentErased"),
)("%s says nothing of ids", (type) => {
  expect(customIds.keysOf(new History().add(type))).toEqual([]);
});
