import { documentEvents, sample } from "@rubrica/events";
import { History, ofSample, projected } from "@rubrica/test-kit/history";
import { describe, expect, test } from "vitest";
import { documents } from "../../src/index.ts";

const other = { signerId: "019aa5c0-0000-7000-8000-000000000052" };
const person = { idCustom: "c2", name: "Li 李", idNumber: "2", idNumberCountry: null, phone: "598", email: null };
const requestedOf2 = (): History => {
  const history = new History();
  history.add("DocumentRequested", {
    data: {
      signers: [
        { signerId: sample.signerId, lineId: null, order: 1, group: 1, placement: { pages: 1, x: 1, y: 1 } },
        { signerId: other.signerId, lineId: null, order: 0, group: 0, placement: { pages: 1, x: 1, y: 1 } },
      ],
    },
    personal: { signers: [{ ...person, idCustom: "c1", name: "Ana Paz" }, person] },
  });
  return history;
};

describe("the record of a document", () => {
  test("begins with its signers in the order of the request, and nothing done", () => {
    const record = ofSample(documents, requestedOf2());
    expect(record).toMatchObject({
      documentId: sample.documentId,
      accountId: sample.accountId,
      createdAt: "2026-11-21T15:00:01.500Z",
      authentication: "link",
      completedAt: null,
      sealed: null,
    });
    const undone = { messageSentAt: null, signedAt: null, drawing: null, photos: [] };
    expect(record.signers).toEqual([
      { signerId: sample.signerId, ...undone },
      { signerId: other.signerId, ...undone },
    ]);
  });

  test("names nobody, who may be read or was forgotten alike, and tells that they were erased", () => {
    const named = requestedOf2();
    named.add("Rejected", { personal: { reason: "Ana Paz never owed that" } });
    const forgotten = requestedOf2();
    forgotten.add("Rejected", { personal: null });
    for (const event of forgotten.events) event.personal = null;
    expect(ofSample(documents, named)).toEqual(ofSample(documents, forgotten));
    expect(ofSample(documents, named).erased).toBe(false);
    named.add("DocumentErased");
    expect(ofSample(documents, named).erased).toBe(true);
  });

  test("keeps when the first template was sent, whatever is sent later", () => {
    const history = requestedOf2();
    history.add("MessageSent", { data: { signerId: other.signerId } });
    history.add("MessageSent", { data: { signerId: other.signerId, attempt: 2 } });
    history.add("SignatureLinkSent", { data: { signerId: sample.signerId } });
    const [first, second] = ofSample(documents, history).signers;
    expect([first?.messageSentAt, second?.messageSentAt]).toEqual([null, "2026-11-21T15:00:02.500Z"]);
  });

  test("keeps every photo of the one who uploaded it", () => {
    const history = requestedOf2();
    const file = (sha: string) => ({ ...sample.jpeg, sha256: sha.repeat(64) });
    history.add("SelfieUploaded", { data: { signerId: other.signerId, file: file("1") } });
    history.add("SelfieUploaded", { data: { signerId: other.signerId, attempt: 2, file: file("2") } });
    history.add("IdFrontUploaded", { data: { signerId: other.signerId, file: file("3") } });
    history.add("IdBackUploaded", { data: { signerId: other.signerId, file: file("4") } });
    const [first, second] = ofSample(documents, history).signers;
    expect(first?.photos).toEqual([]);
    expect(second?.photos).toEqual([
      { kind: "selfie", attempt: 1, file: file("1") },
      { kind: "selfie", attempt: 2, file: file("2") },
      { kind: "idFront", attempt: 1, file: file("3") },
      { kind: "idBack", attempt: 1, file: file("4") },
    ]);
  });

  test("tells who signed, then when all had, then the sealed file", () => {
    const history = requestedOf2();
    history.add("DocumentSigned", { data: { signerId: other.signerId } });
    expect(ofSample(documents, history)).toMatchObject({
      completedAt: null,
      signers: [{ signedAt: null }, { signedAt: "2026-11-21T15:00:02.500Z", drawing: sample.jpeg }],
    });
    history.add("DocumentSigned");
    history.add("DocumentCompleted");
    expect(ofSample(documents, history)).toMatchObject({ completedAt: "2026-11-21T15:00:04.500Z", sealed: null });
    history.add("DocumentSealed");
    expect(ofSample(documents, history).sealed).toEqual(sample.pdf);
    const file = { ...sample.pdf, sha256: "cc".repeat(32) };
    history.add("SealAugmented", { data: { file } });
    expect(ofSample(documents, history).sealed).toEqual(file);
  });

  test.each(documentEvents.map(({ type }) => type))("is touched by %s, and not changed by its repetition", (type) => {
    const history = new History();
    history.add("DocumentRequested");
    const event = history.add(type);
    expect(documents.keysOf(event)).toEqual([sample.documentId]);
    const once = ofSample(documents, history);
    expect(documents.project(once, event, sample.documentId)).toEqual(once);
  });

  test("is not touched by other streams", () => {
    const history = new History();
    history.add("TurnTaken");
    history.add("WebhookDelivered");
    history.add("AccountOpened", {}, { kind: "account", id: sample.accountId });
    expect(projected(documents, history.events).size).toBe(0);
  });
});
