import type { Standing, VerifiedSignature } from "@rubrica/pdf";
import { describe, expect, test } from "vitest";
import { verdictOf } from "../src/verdict.ts";
import { another, document, seal, timestamp } from "./given.ts";

const found = (signatures: VerifiedSignature[], untouched = false) => ({ readable: true, untouched, signatures });
const worth = (status: Standing["status"]): Standing => ({ ...(seal.standing as Standing), status });
const sealed = [seal, timestamp];

describe("a file that is on record", () => {
  test("is valid", () => expect(verdictOf(found(sealed, true), document)).toBe("valid"));
  test("is valid too where a signature that it carried before does not hold", () =>
    expect(verdictOf(found([{ ...another, intact: false }, seal]), document)).toBe("valid"));
  test("is not when its events were tampered with", () =>
    expect(verdictOf(found(sealed, true), { ...document, chainIntact: false })).toBe("evidence_broken"));
  test("is not when its seal's certificate was revoked before", () =>
    expect(verdictOf(found([{ ...seal, standing: worth("revoked") }], true), document)).toBe("certificate_invalid"));
  test("is not when no signature of it holds", () =>
    expect(verdictOf(found([{ ...seal, intact: false }]), document)).toBe("changed"));
  test("is not when it can't be read", () => expect(verdictOf(null, document)).toBe("unreadable"));
});

describe("a file that is not on record", () => {
  test.each<[string, VerifiedSignature[], boolean, string]>([
    ["sealed by this service, to the last bit", sealed, true, "unrecorded"],
    ["sealed by this service, but with a bit in another form", [{ ...seal, canonical: false }], false, "changed"],
    ["with more after the seal and its timestamp", sealed, false, "changed"],
    ["with a seal that does not hold", [{ ...seal, intact: false }], false, "changed"],
    ["with other content after the seal", [{ ...seal, changesAfter: "other" }, another], false, "changed"],
    ["signed by another after the seal", [{ ...seal, changesAfter: "signing" }, another], false, "foreign"],
    ["signed by another", [another], false, "foreign"],
    ["signed by another, and changed", [{ ...another, changesAfter: "other" }], false, "changed"],
    ["signed in a form that can't be checked", [{ ...another, intact: null, changesAfter: "other" }], false, "foreign"],
    ["sealed with what had expired", [{ ...seal, standing: worth("expired") }], true, "certificate_invalid"],
    ["sealed with what is not known to be revoked", [{ ...seal, standing: worth("unknown") }], true, "unrecorded"],
    [
      "sealed twice, the first time with what had expired",
      [{ ...seal, standing: worth("expired") }, seal],
      true,
      "unrecorded",
    ],
    ["without signatures", [], false, "unsigned"],
  ])("%s", (_name, signatures, untouched, verdict) =>
    expect(verdictOf(found(signatures, untouched), null)).toBe(verdict),
  );
  test("that is no PDF", () =>
    expect(verdictOf({ readable: false, untouched: false, signatures: [] }, null)).toBe("unreadable"));
});
