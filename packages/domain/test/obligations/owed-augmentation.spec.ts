import { sample } from "@rubrica/events";
import {
  ana,
  augmented as changes,
  completed,
  event,
  requested,
  seal,
  sealed,
  signed,
} from "@rubrica/test-kit/document-history";
import { expect, test } from "vitest";
import { minute, openAfter, recordAfter } from "./fixtures.ts";

const finished = [requested([ana]), signed(ana), completed];
const report = event("ReportGenerated", { sizeBytes: 90_000 });
const timestamp = { at: "2026-01-01T00:00:00.000Z", authority: "CN=Acme TSA" };
const renewedAt = "2028-10-03T00:00:00.000Z";
const bare = [...finished, event("DocumentSealed", { ...seal, toComplete: true }), report];
const provenUntil = "2029-01-01T00:00:00.000Z";
const proven = [...finished, event("DocumentSealed", { ...seal, level: "B-LTA", timestamp, provenUntil }), report];
const augmented = (kind: "complete" | "renew") => event("SealAugmented", changes(kind));
const failed = (kind: "complete" | "renew", nextAttemptAt: string | null) =>
  event("SealAugmentationFailed", { kind, attempt: 1, reason: "timestamp_unavailable", nextAttemptAt });

test("what a seal lacks is owed, ten minutes after it was made", () =>
  expect(recordAfter(...bare).open).toMatchObject([
    { id: "e4:complete-seal", kind: "complete-seal", signerId: null, dueAt: minute(4, 600_000), since: minute(4) },
  ]));

test("a seal that lacks nothing that is made up, and has no timestamp to renew, owes nothing", () =>
  expect(openAfter(...finished, sealed, report)).toEqual([]));

test("what could not be had is owed later, until it is given up", () => {
  expect(recordAfter(...bare, failed("complete", minute(30))).open).toMatchObject([
    { id: "e4:complete-seal", dueAt: minute(30), attempts: 1, reason: "timestamp_unavailable" },
  ]);
  expect(openAfter(...bare, failed("complete", null))).toEqual([]);
});

test("a renewal is owed long before it is due, by the timestamp that was added last", () => {
  expect(recordAfter(...proven).open).toMatchObject([{ id: "e4:renew-timestamp", dueAt: renewedAt }]);
  expect(recordAfter(...bare, augmented("complete")).open).toMatchObject([
    { id: "e6:renew-timestamp", dueAt: renewedAt, attempts: 0 },
  ]);
});

test("each renewal is another one", () =>
  expect(recordAfter(...proven, failed("renew", minute(30)), augmented("renew")).open).toMatchObject([
    { id: "e7:renew-timestamp", dueAt: renewedAt, attempts: 0, reason: null },
  ]));

test("an erased document owes none", () => {
  const erased = event("DocumentErased", { cause: "requested", requestedAt: sample.at, customIds: [] });
  expect(openAfter(...proven, erased)).toEqual(["e6:forget"]);
  expect(openAfter(...bare, erased)).toEqual(["e6:forget"]);
});
