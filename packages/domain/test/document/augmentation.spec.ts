import { type DocumentEvent, sample } from "@rubrica/events";
import {
  ana,
  ben,
  augmented as changes,
  completed,
  event,
  given,
  now,
  requested,
  seal,
  sealed,
  signed,
} from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import {
  augmentationAt,
  documentFold,
  documentKinds,
  foldOf,
  recordAugmentationFailed,
  recordAugmented,
  renewalDueAt,
} from "../../src/index.ts";

const provenUntil = "2029-01-01T00:00:00.000Z";
const provenAt = "2026-01-01T00:00:00.000Z";
const renewAt = Date.parse("2028-10-03T00:00:00.000Z");
const finished = [requested(), signed(ana), completed];
const timestamp = { at: provenAt, authority: "CN=Acme TSA" };
const bare = [...finished, event("DocumentSealed", { ...seal, toComplete: true })];
const proven = [...finished, event("DocumentSealed", { ...seal, level: "B-LTA", timestamp, provenUntil })];
const erased = event("DocumentErased", { cause: "requested", requestedAt: sample.at, customIds: [] });
const completing = { ...changes("complete"), from: seal.file.sha256 };
const renewing = { ...changes("renew"), from: seal.file.sha256 };
const augmented = (kind: "complete" | "renew") => event("SealAugmented", changes(kind));
const failure = {
  kind: "complete" as const,
  attempt: 1,
  reason: "timestamp_unavailable",
  isFinal: false,
  now,
  jitter: 0,
};
const failed = (attempt: number, nextAttemptAt: string | null, kind: "complete" | "renew" = "complete") =>
  event("SealAugmentationFailed", { kind, attempt, reason: failure.reason, nextAttemptAt });
const due = (history: readonly DocumentEvent[], at: number) =>
  augmentationAt(foldOf(documentFold, [...history]), at)?.kind ?? null;

describe("a seal that lacks something", () => {
  test("is completed, once", () => {
    expect(due(bare, now)).toBe("complete");
    given(...bare)
      .when(recordAugmented, completing)
      .then(augmented("complete"));
    given(...bare, augmented("complete"))
      .when(recordAugmented, completing)
      .then();
  });
  test("is renewed from then on", () => {
    const after = [...bare, augmented("complete")];
    expect([renewAt - 1, renewAt].map((at) => due(after, at))).toEqual([null, "renew"]);
    expect(foldOf(documentFold, after)).toMatchObject({ seal: { level: "B-LTA", file: changes("complete").file } });
  });
  test("that nobody makes up is left as it is", () => {
    expect(due([...finished, sealed], now)).toBeNull();
    given(...finished, sealed)
      .when(recordAugmented, completing)
      .then();
  });
  test("is tried again, later and later, then daily, for two months", () => {
    const { delaysMs } = documentKinds["complete-seal"].retries;
    const delays = [...delaysMs, delaysMs.at(-1) ?? 0];
    for (const [index, delayMs] of delays.entries()) {
      const before = Array.from({ length: index }, (_, attempt) => failed(attempt + 1, provenUntil));
      given(...bare, ...before)
        .when(recordAugmentationFailed, { ...failure, attempt: index + 1 })
        .then(failed(index + 1, new Date(now + delayMs).toISOString()));
    }
    given(...bare, failed(59, provenUntil))
      .when(recordAugmentationFailed, { ...failure, attempt: 60 })
      .then(failed(60, null));
  });
  test("that can't have it is given up at once, and owes nothing", () => {
    given(...bare)
      .when(recordAugmentationFailed, { ...failure, isFinal: true })
      .then(failed(1, null));
    expect(due([...bare, failed(1, null)], now)).toBeNull();
  });
  test("that failed in two processes at once failed once, and not after it was completed", () => {
    given(...bare, failed(1, provenUntil))
      .when(recordAugmentationFailed, failure)
      .then();
    given(...bare, augmented("complete"))
      .when(recordAugmentationFailed, failure)
      .then();
  });
});

describe("a document timestamp", () => {
  test("is renewed 90 days before its certificate ends, or after two thirds of a shorter time", () => {
    expect(renewalDueAt(provenAt, provenUntil)).toBe(new Date(renewAt).toISOString());
    expect(renewalDueAt(provenAt, "2026-01-31T00:00:00.000Z")).toBe("2026-01-21T00:00:00.000Z");
    expect(renewalDueAt(provenUntil, provenAt)).toBe(provenUntil);
  });
  test("is due then, and not before", () =>
    expect([now, renewAt - 1, renewAt].map((at) => due(proven, at))).toEqual([null, null, "renew"]));
  test("is renewed by what follows the very file that was sealed", () => {
    given(...proven)
      .when(recordAugmented, renewing)
      .then(augmented("renew"));
    given(...proven)
      .when(recordAugmented, { ...renewing, from: "00".repeat(32) })
      .then();
    given(...proven)
      .when(recordAugmented, completing)
      .then();
  });
  test("that could not be renewed is asked for until its certificate ends, then no more", () => {
    const beforeItEnds = Date.parse(provenUntil) - 1;
    const renewal = { ...failure, kind: "renew" as const, attempt: 100 };
    given(...proven, failed(99, provenUntil, "renew"))
      .when(recordAugmentationFailed, { ...renewal, now: beforeItEnds })
      .then(failed(100, new Date(beforeItEnds + 86_400_000).toISOString(), "renew"));
    given(...proven, failed(99, provenUntil, "renew"))
      .when(recordAugmentationFailed, { ...renewal, now: beforeItEnds + 1 })
      .then(failed(100, null, "renew"));
  });
  test("whose renewal failed counts anew once it succeeded", () =>
    expect(foldOf(documentFold, [...proven, failed(3, provenUntil, "renew"), augmented("renew")])).toMatchObject({
      augmentation: "renew",
      seal: { failures: 0 },
    }));
});

test("nothing is augmented that is open, or was erased", () => {
  given(requested([ana, ben]), signed(ana))
    .when(recordAugmented, completing)
    .fails("document_open");
  given(requested()).when(recordAugmentationFailed, failure).fails("document_open");
  given(...bare, erased)
    .when(recordAugmented, completing)
    .then();
  given(...bare, erased)
    .when(recordAugmentationFailed, failure)
    .then();
  expect(due([...proven, erased], renewAt)).toBeNull();
  expect(due([requested()], now)).toBeNull();
});
