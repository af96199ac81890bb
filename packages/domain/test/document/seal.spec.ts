import {
  after,
  ana,
  ben,
  completed,
  event,
  given,
  now,
  rejected,
  requested,
  seal,
  sealed,
  signed,
} from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import { documentFold, documentKinds, foldOf, recordSealed, recordSealingFailed } from "../../src/index.ts";

const finished = [requested(), signed(ana), completed];
const failure = { attempt: 1, reason: "timestamp_unavailable", now, jitter: 0 };
const failedAt = (attempt: number, delayMs: number) =>
  event("SealingFailed", { attempt, reason: failure.reason, nextAttemptAt: after(delayMs) });

describe("sealing", () => {
  test("follows completion, once", () => {
    given(...finished)
      .when(recordSealed, seal)
      .then(sealed);
    given(...finished, sealed)
      .when(recordSealed, { ...seal, level: "B-T" })
      .then();
  });
  test("is of completed documents only", () => {
    given(requested([ana, ben]), signed(ana))
      .when(recordSealed, seal)
      .fails("document_open");
    given(requested(), rejected(ana)).when(recordSealed, seal).fails("document_open");
    given().when(recordSealed, seal).fails("unknown_document");
  });
  test("that failed is tried again, later and later", () => {
    for (const [index, delayMs] of documentKinds.seal.retries.delaysMs.entries()) {
      const before = Array.from({ length: index }, (_, attempt) => failedAt(attempt + 1, 0));
      given(...finished, ...before)
        .when(recordSealingFailed, { ...failure, attempt: index + 1 })
        .then(failedAt(index + 1, delayMs));
    }
  });
  test("that failed in two processes at once failed once", () =>
    given(...finished, failedAt(1, 0))
      .when(recordSealingFailed, failure)
      .then());
  test("is never given up", () =>
    given(...finished, failedAt(500, 0))
      .when(recordSealingFailed, { ...failure, attempt: 501 })
      .then(failedAt(501, 3_600_000)));
  test("that failed after it succeeded is nothing", () =>
    given(...finished, sealed)
      .when(recordSealingFailed, failure)
      .then());
  test("can't fail before completion", () =>
    given(requested()).when(recordSealingFailed, failure).fails("document_open"));
  test("keeps the sealed file", () => expect(foldOf(documentFold, [...finished, sealed])).toMatchObject({ seal }));
});
