import { sample } from "@rubrica/events";
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
  signed,
} from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import {
  documentFold,
  documentKinds,
  foldOf,
  recordEvidence,
  recordEvidenceFailure,
  signersWithEvidence,
} from "../../src/index.ts";

const spoken = event("SelfieValidated", {
  provider: sample.provider,
  signerId: ana,
  attempt: 1,
  result: "approved",
  reason: null,
});
const ended = [requested([ana]), spoken, signed(ana), completed];
const files = [{ signerId: ana, kind: "photo" as const, shows: null, file: sample.jpeg }];
const fetched = event("EvidenceFetched", { provider: sample.provider, files });
const failure = { attempt: 1, reason: "timeout", now, jitter: 0 };
const failed = (attempt: number, nextAttemptAt: string) =>
  event("EvidenceFetchFailed", { attempt, reason: "timeout", nextAttemptAt });

describe("the identity provider's evidence", () => {
  test("is recorded once, after the document's end", () => {
    for (const end of [ended, [requested([ana]), spoken, rejected(ana)]]) {
      given(...end)
        .when(recordEvidence, { provider: sample.provider, files })
        .then(fetched);
      given(...end, fetched)
        .when(recordEvidence, { provider: sample.provider, files: [] })
        .then();
    }
    given(requested()).when(recordEvidence, { provider: sample.provider, files: [] }).fails("document_open");
  });
  test("is not recorded where the provider said nothing of anybody", () => {
    const silent = [requested([ana]), signed(ana), completed];
    given(...silent)
      .when(recordEvidence, { provider: sample.provider, files })
      .then();
    given(...silent)
      .when(recordEvidenceFailure, failure)
      .then();
  });
  test("may be none", () => {
    const none = event("EvidenceFetched", { provider: sample.provider, files: [] });
    given(...ended)
      .when(recordEvidence, { provider: sample.provider, files: [] })
      .then(none);
    given(...ended, none)
      .when(recordEvidence, { provider: sample.provider, files })
      .then();
  });
  test("that can't be fetched is asked for again, later each time, for as long as it takes", () => {
    const history = [...ended];
    const { delaysMs } = documentKinds["fetch-evidence"].retries;
    for (const delayMs of [...delaysMs, delaysMs.at(-1) ?? 0]) {
      const attempt = history.length - ended.length + 1;
      const next = failed(attempt, after(delayMs));
      given(...history)
        .when(recordEvidenceFailure, { ...failure, attempt })
        .then(next);
      history.push(next);
      given(...history)
        .when(recordEvidenceFailure, { ...failure, attempt })
        .then();
    }
  });
  test("fails no more once it is there, and not before the end", () => {
    given(...ended, fetched)
      .when(recordEvidenceFailure, failure)
      .then();
    given(requested()).when(recordEvidenceFailure, failure).fails("document_open");
  });
  test("is kept of the signers whom the provider spoke of, in signing order", () => {
    const validated = { attempt: 1, result: "approved" as const, reason: null };
    const document = foldOf(documentFold, [
      requested([ana, ben]),
      event("SelfieValidated", { provider: sample.provider, ...validated, signerId: ben }),
      event("IdentityProviderFailed", {
        provider: sample.provider,
        signerId: ana,
        attempt: 1,
        reason: "timeout",
        nextAttemptAt: after(1),
      }),
      rejected(ana),
    ]);
    if (document.status !== "rejected") throw new Error("it was rejected");
    expect(signersWithEvidence(document).map(({ signerId }) => signerId)).toEqual([ben]);
  });
});
