import { sample } from "@rubrica/events";
import { describe, expect, test } from "vitest";
import { acceptRequest, foldOf, requestFold } from "../src/index.ts";
import { given } from "../src/testing.ts";

const first = { route: "POST /api/v2/documentSet", bodyHmac: sample.sha256, resultId: sample.documentId };
const accepted = { type: "RequestAccepted", data: first, personal: null } as const;

describe("a request with an idempotency key", () => {
  test("is accepted with what it will make", () => given(requestFold).when(acceptRequest, first).then(accepted));

  test("is accepted once: a later one changes nothing, whatever it says", () =>
    given(requestFold, accepted)
      .when(acceptRequest, { ...first, bodyHmac: "ab".repeat(32), resultId: sample.otherDocumentId })
      .then());

  test("stays what the first one was", () => {
    const second = { ...accepted, data: { ...first, resultId: sample.otherDocumentId } };
    expect(foldOf(requestFold, [accepted, second])).toEqual({ status: "accepted", ...first });
  });
});
