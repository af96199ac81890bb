import { type DocumentEvent, sample } from "@rubrica/events";
import {
  after,
  ana,
  attempted,
  ben,
  bulkRow,
  byApp,
  completed,
  event,
  now,
  origin,
  rejected,
  requested,
  requester,
  sent,
  signed,
  signing,
  template,
  turnCame,
} from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import {
  attemptMessage,
  cancelDocument,
  canSign,
  changeExpiry,
  type Decide,
  type Document,
  documentAt,
  documentFold,
  eraseDocument,
  expireDocument,
  foldOf,
  openPage,
  recordReport,
  recordTurnCome,
  reject,
  releaseReason,
  sign,
} from "../../src/index.ts";
import { given } from "../../src/testing.ts";
import { minute, recordAfter } from "../obligations/fixtures.ts";

const HOUR_MS = 3_600_000;
const until = after(HOUR_MS);
const dated = (one: DocumentEvent) => ({ ...one, metadata: { at: after(0) } });
const open = [requested([ana, ben], { expiresAt: until }), turnCame(ana), attempted(template(ana))].map(dated);
const expired = (bulkId: string | null = null) => event("DocumentWithdrawn", { reason: "expired", bulkId, by: null });

/** What a decider decides of a document at that time, as handlers have it decide. */
const at = (ms: number, ...history: DocumentEvent[]) => ({
  when: <Command>(decide: Decide<Document, Command, DocumentEvent>, command: Command) =>
    given(documentFold, ...history).when(
      (state: Document, one: Command) => decide(documentAt(state, now + ms), one),
      command,
    ),
});
const stateAt = (ms: number, ...history: DocumentEvent[]) => documentAt(foldOf(documentFold, history), now + ms);

describe("a document whose time ends", () => {
  test("is signed until the moment, and not at it, whether an event says so or not", () => {
    at(HOUR_MS - 1, ...open)
      .when(sign, signing(ana))
      .thenTypes("ConsentGiven", "DocumentSigned");
    for (const history of [open, [...open, dated(expired())]]) {
      at(HOUR_MS, ...history)
        .when(sign, signing(ana))
        .fails("document_ended");
      at(HOUR_MS, ...history)
        .when(reject, { signerId: ana, reason: "late", origin })
        .fails("document_ended");
      at(HOUR_MS, ...history)
        .when(cancelDocument, { by: requester, text: null })
        .fails("document_ended");
      at(HOUR_MS, ...history)
        .when(openPage, { signerId: ana, origin })
        .then();
      at(HOUR_MS, ...history)
        .when(recordTurnCome, { signerId: ana })
        .then();
    }
    expect(canSign(stateAt(HOUR_MS - 1, ...open), ana)).toBe(true);
    expect(canSign(stateAt(HOUR_MS, ...open), ana)).toBe(false);
    expect(releaseReason(stateAt(HOUR_MS, ...open), ana)).toBe("document_ended");
  });
  test("takes a signature that was made before, again", () =>
    at(HOUR_MS, ...open, signed(ana))
      .when(sign, signing(ana))
      .then());
  test("asks nobody after it", () => {
    const attempt = { ...template(ana), attempt: 2, media: byApp, providerBy: () => sample.provider, now };
    at(HOUR_MS, ...open)
      .when(attemptMessage, attempt)
      .then();
    at(HOUR_MS, ...open, sent(template(ana), "p1"), expired())
      .when(attemptMessage, { ...attempt, kind: "cancellation" as const, messageId: "x", attempt: 1 })
      .fails("message_not_due");
  });
  test("ended when its time did, whenever that was recorded", () => {
    for (const history of [open, [...open, { ...expired(), metadata: { at: after(2 * HOUR_MS) } }]]) {
      expect(stateAt(3 * HOUR_MS, ...history)).toMatchObject({
        status: "withdrawn",
        endedAt: until,
        withdrawal: "expired",
        takenBack: { by: null },
      });
    }
  });
  test("that has ended otherwise is as it was", () => {
    for (const history of [
      [...open, signed(ana), signed(ben), completed],
      [...open, rejected(ana)],
    ]) {
      const state = foldOf(documentFold, history);
      expect(documentAt(state, now + HOUR_MS)).toBe(state);
    }
  });
});

describe("expiring", () => {
  test("is recorded once, from the moment on, and not when it ended before", () => {
    at(HOUR_MS - 1, ...open)
      .when(expireDocument, undefined)
      .then();
    at(HOUR_MS, ...open)
      .when(expireDocument, undefined)
      .then(expired());
    at(HOUR_MS, ...open, expired())
      .when(expireDocument, undefined)
      .then();
    at(HOUR_MS, ...open, rejected(ana))
      .when(expireDocument, undefined)
      .then();
  });
  test("of a bulk row that was never prepared tells its call", () =>
    at(HOUR_MS, requested([ana], { channel: "bulk", file: null, pageCount: null, bulk: bulkRow, expiresAt: until }))
      .when(expireDocument, undefined)
      .then(expired(bulkRow.bulkId)));
  test("has its report", () =>
    at(HOUR_MS, ...open, expired())
      .when(recordReport, { sizeBytes: 1 })
      .thenTypes("ReportGenerated"));
  test("is recorded by an erasure that comes first", () =>
    at(HOUR_MS, ...open)
      .when(eraseDocument, { cause: "requested" as const, customIdHmac: () => sample.sha256 })
      .thenTypes("DocumentWithdrawn", "DocumentErased"));
});

describe("another time", () => {
  const change = (ms: number) => ({ expiresAt: after(ms), by: requester });
  const changed = (ms: number) => event("DocumentExpiryChanged", change(ms));

  test("is set while it is open, also where it had none; the same is nothing", () => {
    at(0, ...open)
      .when(changeExpiry, change(2 * HOUR_MS))
      .then(changed(2 * HOUR_MS));
    at(0, requested([ana]))
      .when(changeExpiry, change(HOUR_MS))
      .then(changed(HOUR_MS));
    at(0, ...open)
      .when(changeExpiry, change(HOUR_MS))
      .then();
    at(HOUR_MS, ...open, changed(2 * HOUR_MS))
      .when(sign, signing(ana))
      .thenTypes("ConsentGiven", "DocumentSigned");
  });
  test("a hundred times at most", () => {
    const often = Array.from({ length: 100 }, (_, index) => changed((index + 2) * HOUR_MS));
    at(0, ...open, ...often)
      .when(changeExpiry, change(HOUR_MS))
      .fails("expiry_changed_too_often");
    at(0, ...open, ...often.slice(1))
      .when(changeExpiry, change(HOUR_MS))
      .then(changed(HOUR_MS));
  });
  test("comes too late once the one before is over", () =>
    at(HOUR_MS, ...open)
      .when(changeExpiry, change(2 * HOUR_MS))
      .fails("document_ended"));
});

describe("that its time ends", () => {
  const expireOf = (...history: DocumentEvent[]) => recordAfter(...history).open.find(({ kind }) => kind === "expire");

  test("is owed from the request on, due then, until it has ended", () => {
    expect(expireOf(...open)).toMatchObject({ id: "e1:expire", dueAt: until, since: minute(1) });
    expect(expireOf(...open, rejected(ana))).toBeUndefined();
    expect(expireOf(...open, expired())).toBeUndefined();
    expect(expireOf(requested([ana]))).toBeUndefined();
  });
  test("is due at another time once that is set, under the same id", () => {
    const later = event("DocumentExpiryChanged", { expiresAt: after(5 * HOUR_MS), by: requester });
    expect(expireOf(...open, later)).toMatchObject({ id: "e1:expire", dueAt: after(5 * HOUR_MS), since: minute(4) });
    expect(expireOf(requested([ana]), later)).toMatchObject({ id: "e2:expire", dueAt: after(5 * HOUR_MS) });
  });
});
