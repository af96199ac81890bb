import { type DocumentEvent, photoUploads, sample } from "@rubrica/events";
import {
  ana,
  ben,
  completed,
  event,
  origin,
  rejected,
  requested,
  sealed,
  signed,
} from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import { type PhotoKind, photoKinds } from "../../src/index.ts";
import { minute, openAfter, recordAfter } from "./fixtures.ts";

const silent = { sendMessages: false } as const;
const biometric = requested([ana], {
  ...silent,
  authentication: "biometric",
  requestPhotos: true,
  validatePhotos: true,
});
const uploaded = (kind: PhotoKind, attempt = 1, validation: "none" | "pending" = "pending"): DocumentEvent => ({
  type: photoUploads[kind],
  data: { signerId: ana, attempt, file: sample.jpeg, validation },
  personal: origin,
});
const all = photoKinds.map((kind) => uploaded(kind));
const waiting = [biometric, ...all];
const checkId = `e4:check-identity:${ana}`;
const good = { signerId: ana, provider: sample.provider, attempt: 1, result: "approved" as const, reason: null };
const selfie = event("SelfieValidated", good);
const front = event("IdDocumentValidated", { ...good, side: "front" });
const back = event("IdDocumentValidated", { ...good, side: "back" });
const providerFailed = (attempt: number, nextAttemptAt: string | null) =>
  event("IdentityProviderFailed", {
    provider: sample.provider,
    signerId: ana,
    attempt,
    reason: "timeout",
    nextAttemptAt,
  });

describe("the check of a signer's identity is owed", () => {
  test("once all three photos are there, at once", () => {
    expect(openAfter(...waiting.slice(0, -1))).toEqual([]);
    expect(recordAfter(...waiting).open).toMatchObject([
      { id: checkId, kind: "check-identity", signerId: ana, dueAt: minute(4), attempts: 0 },
    ]);
  });
  test("until each photo has its word", () => {
    expect(openAfter(...waiting, selfie, front)).toEqual([checkId]);
    expect(openAfter(...waiting, selfie, front, back)).toEqual([]);
  });
  test("not where photos are taken but not validated", () =>
    expect(openAfter(requested([ana], silent), ...photoKinds.map((kind) => uploaded(kind, 1, "none")))).toEqual([]));
  test("later, when the provider could not be asked", () =>
    expect(recordAfter(...waiting, providerFailed(1, minute(30)))).toMatchObject({
      open: [{ id: checkId, dueAt: minute(30), attempts: 1 }],
    }));
  test("of each signer by itself", () => {
    const both = requested([ana, ben], { ...silent, authentication: "biometric", requestPhotos: true });
    const bens = all.map((event) => ({ ...event, data: { ...event.data, signerId: ben } }) as DocumentEvent);
    expect(recordAfter(both, ...all, ...bens, providerFailed(1, minute(30))).open).toMatchObject([
      { id: checkId, dueAt: minute(30), attempts: 1 },
      { id: `e7:check-identity:${ben}`, dueAt: minute(7), attempts: 0 },
    ]);
  });
  test("at once, when a photo was taken anew meanwhile", () =>
    expect(recordAfter(...waiting, providerFailed(1, minute(30)), uploaded("selfie", 2)).open).toMatchObject([
      { id: checkId, dueAt: minute(6), attempts: 0 },
    ]));
  test("no more, when the provider won't check these photos, until they are taken anew", () => {
    const refused = [...waiting, providerFailed(1, null)];
    expect(openAfter(...refused)).toEqual([]);
    expect(openAfter(...refused, ...photoKinds.map((kind) => uploaded(kind, 2)))).toEqual([`e8:check-identity:${ana}`]);
  });
  test("not while a rejected photo was not taken anew, then again", () => {
    const blurred = event("SelfieValidated", { ...good, result: "rejected", reason: "blurred" });
    expect(openAfter(...waiting, blurred)).toEqual([]);
    expect(openAfter(...waiting, blurred, uploaded("selfie", 2))).toEqual([`e6:check-identity:${ana}`]);
  });
  test("no more, when the signer signed or the document ended", () => {
    expect(openAfter(...waiting, signed(ana))).toEqual([]);
    expect(openAfter(requested([ana, ben], silent), ...all, rejected(ben))).toEqual(["e5:report"]);
  });
});

describe("the identity provider's evidence is owed", () => {
  const known = [...waiting, selfie, front, back];
  const ended = [...known, signed(ana), completed];
  const fetched = event("EvidenceFetched", { provider: sample.provider, files: [] });
  const failed = (attempt: number) =>
    event("EvidenceFetchFailed", { attempt, reason: "timeout", nextAttemptAt: minute(30 + attempt) });
  const failures = [1, 2, 3, 4].map(failed);

  test("from the document's end on, beside the seal", () => {
    expect(openAfter(...known)).toEqual([]);
    expect(openAfter(...ended)).toEqual(["e9:seal", "e9:fetch-evidence"]);
    expect(openAfter(...known, rejected(ana))).toEqual(["e8:fetch-evidence"]);
  });
  test("not where the provider never spoke of a signer", () => {
    expect(openAfter(requested([ana], silent), rejected(ana))).toEqual(["e2:report"]);
    expect(openAfter(...waiting, providerFailed(1, minute(30)), rejected(ana))).toEqual(["e6:report"]);
  });
  test("until it is there; then the report", () => {
    expect(openAfter(...ended, sealed)).toEqual(["e9:fetch-evidence"]);
    expect(openAfter(...ended, fetched)).toEqual(["e9:seal"]);
    expect(openAfter(...ended, sealed, fetched)).toEqual(["e11:report"]);
    expect(openAfter(...ended, fetched, sealed)).toEqual(["e11:report"]);
  });
  test("later, when it could not be fetched", () =>
    expect(recordAfter(...known, rejected(ana), failed(1)).open).toMatchObject([
      { id: "e8:fetch-evidence", dueAt: minute(31), attempts: 1 },
    ]));
  test("for as long as it takes, but the report waits for four attempts only", () => {
    expect(openAfter(...known, rejected(ana), ...failures.slice(0, 3))).toEqual(["e8:fetch-evidence"]);
    expect(openAfter(...known, rejected(ana), ...failures)).toEqual(["e8:fetch-evidence", "e12:report"]);
    expect(openAfter(...known, rejected(ana), ...failures, fetched)).toEqual(["e12:report"]);
    const reported = event("ReportGenerated", { sizeBytes: 1 });
    expect(openAfter(...known, rejected(ana), ...failures, reported)).toEqual(["e8:fetch-evidence"]);
    expect(openAfter(...known, rejected(ana), ...failures, reported, fetched)).toEqual([]);
  });
});
