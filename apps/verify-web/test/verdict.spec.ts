import type { AfterSeal, CertificateStatus, Named, VerifiedSignature } from "@rubrica/pdf";
import { describe, expect, test } from "vitest";
import {
  type FileKind,
  fileKinds,
  type OnRecord,
  records,
  type Verdict,
  verdictOf,
  verdictTable,
} from "../src/verdict.ts";
import { another, document, seal, timestamp } from "./given.ts";

const found = (signatures: VerifiedSignature[], afterSeal: AfterSeal | null = null) => ({
  readable: true,
  untouched: afterSeal === "nothing" || afterSeal === "validation_data",
  afterSeal,
  signatures,
});
const worth = (status: CertificateStatus["status"]): CertificateStatus => ({
  ...(seal.certificateStatus as CertificateStatus),
  status,
});
const worthless = { ...seal, certificateStatus: worth("revoked") };
const sealed = [seal, timestamp];

/** A file of each kind. */
const files: Record<FileKind, ReturnType<typeof found>> = {
  sealed: found(sealed, "validation_data"),
  sealed_with_data_by_others: found(sealed, "validation_data_by_others"),
  worthless: found([worthless], "nothing"),
  changed: found([{ ...seal, intact: false }]),
  foreign: found([another]),
  unsigned: found([]),
  unreadable: { ...found([]), readable: false },
};

/** The same, sealed as another document, or as what is none. */
const otherwise = [
  { kind: "document", id: "019aa5c0-0000-7000-8000-0000000000d2" },
  { kind: "part", id: document.documentId },
  { kind: "report", id: document.documentId },
  { kind: "verification", id: "ab".repeat(32) },
  { kind: "head", id: "ab".repeat(32) },
] as const;
const named = (file: ReturnType<typeof found>, name: Named | null) => ({
  ...file,
  signatures: file.signatures.map((signature) => ({ ...signature, named: name })),
});

/** What is on record of it. */
const withoutTimestamp = { ...document, level: "B-B" };
const documents: Record<OnRecord, typeof document | null> = {
  none: null,
  of_no_event: null,
  tampered: { ...withoutTimestamp, chainIntact: false },
  of_another_certificate: { ...withoutTimestamp, certificateSha256: "99".repeat(32) },
  of_another_kind: withoutTimestamp,
  of_another_level: { ...document, level: "B-T" },
  of_no_head: { ...withoutTimestamp, inFirstHead: false },
  of_its_certificate: withoutTimestamp,
};
const recorded = (known: typeof document | null, beginsAsNamed = true) =>
  known && { document: known, chainIntact: known.chainIntact, beginsAsNamed };
/** Nothing at all, or that the document whose file it should be has none like it. */
const recordOf = (record: OnRecord) =>
  record === "of_no_event" ? { document: null, chainIntact: true, beginsAsNamed: false } : recorded(documents[record]);
/** The same file as it is on record: without a timestamp where its record says that it has one. */
const fileOf = (fileKind: FileKind, record: OnRecord) =>
  record === "of_another_level"
    ? { ...files[fileKind], signatures: files[fileKind].signatures.filter((one) => one !== timestamp) }
    : files[fileKind];

describe("the verdict on a file", () => {
  const combinations = fileKinds.flatMap((fileKind) => records.map((record) => [fileKind, record] as const));

  test.each(combinations)("that is %s, and on record: %s", (fileKind, record) => {
    // Without a seal of this service there is none of the named certificate, whatever the record says.
    const lacksSeal =
      ["foreign", "unsigned"].includes(fileKind) && /^of_(its|another_kind|another_level|no_head)/.test(record);
    const own = [null, { kind: "document", id: document.documentId } as const];
    const names = { of_another_kind: otherwise, of_no_head: [null] } as Partial<
      Record<OnRecord, readonly (Named | null)[]>
    >;
    for (const name of names[record] ?? own)
      expect(
        verdictOf({
          found: named(fileOf(fileKind, record), name),
          record: recordOf(record),
          knowsAuthorities: true,
        }),
      ).toBe(verdictTable[fileKind][lacksSeal ? "of_another_certificate" : record]);
  });

  test("is that the document is authentic for one combination alone", () => {
    const authentic = combinations.filter(([fileKind, record]) => verdictTable[fileKind][record] === "valid");
    expect(authentic).toEqual([["sealed", "of_its_certificate"]]);
  });

  test("never vouches for a file where its record was tampered with, or is of another certificate", () => {
    const good: Verdict[] = ["valid", "unrecorded"];
    for (const fileKind of fileKinds)
      for (const record of records.filter((one) => one !== "none" && one !== "of_its_certificate"))
        expect(good).not.toContain(verdictTable[fileKind][record]);
  });
});

test("a seal that says what it is over needs no head", () =>
  expect(verdictOf({ found: files.sealed, record: recorded(documents.of_no_head), knowsAuthorities: true })).toBe(
    "valid",
  ));

describe("a file that is on record", () => {
  const verdict = (file: ReturnType<typeof found>, knowsAuthorities = true, level = "B-B") =>
    verdictOf({ found: file, record: recorded({ ...document, level }), knowsAuthorities });

  test("is valid too where a signature that it carried before does not hold", () =>
    expect(verdict(found([{ ...another, intact: false }, seal], "nothing"))).toBe("valid"));
  test("is not by another's signature, be it intact, and named by the record", () => {
    const theirs = { ...another, certificate: seal.certificate };
    expect(verdict(found([theirs]))).toBe("record_contradicted");
  });
  test("is not where something else came after its seal", () =>
    expect(verdict(found(sealed, "other"))).toBe("changed"));
  test.each<[string, string, Verdict, VerifiedSignature[]]>([
    ["a timestamp over its seal", "B-T", "valid", [{ ...seal, timestampedAt: 1 }]],
    ["one over all of it", "B-LT", "valid", sealed],
    ["one over all of it", "B-LTA", "valid", sealed],
    ["none", "B-T", "record_contradicted", [seal]],
    ["one over its seal alone", "B-LTA", "record_contradicted", [{ ...seal, timestampedAt: 1 }]],
    ["one over all of it before its seal", "B-LTA", "record_contradicted", [timestamp, seal]],
    ["one over all of it that does not hold", "B-LTA", "record_contradicted", [seal, { ...timestamp, intact: false }]],
  ])("with %s, on record at %s, is %s", (_what, level, expected, signatures) =>
    expect(verdict(found(signatures, "validation_data"), true, level)).toBe(expected),
  );
  test("is valid with timestamps that nobody can judge, where authorities are asked and none is trusted", () => {
    expect(verdict(files.sealed_with_data_by_others, false)).toBe("valid");
    expect(verdict(files.sealed_with_data_by_others, true)).toBe("data_by_others");
  });
  test("can't be read at all", () =>
    expect(verdictOf({ found: null, record: recorded(document), knowsAuthorities: true })).toBe("unreadable"));
});

describe("a file that is not on record", () => {
  test.each<[string, VerifiedSignature[], AfterSeal | null, string]>([
    ["sealed by this service, to the last bit", sealed, "nothing", "unrecorded"],
    ["sealed by this service, but with a bit in another form", [{ ...seal, canonical: false }], null, "changed"],
    ["with more after the seal and its timestamp", sealed, "other", "changed"],
    ["with a seal that does not hold", [{ ...seal, intact: false }], null, "changed"],
    ["with other content after the seal", [{ ...seal, changesAfter: "other" }, another], null, "changed"],
    ["signed by another after the seal", [{ ...seal, changesAfter: "signing" }, another], "other", "foreign"],
    ["signed by another", [another], null, "foreign"],
    ["signed by another, and changed", [{ ...another, changesAfter: "other" }], null, "changed"],
    ["signed in a form that can't be checked", [{ ...another, intact: null, changesAfter: "other" }], null, "foreign"],
    [
      "sealed with what had expired",
      [{ ...seal, certificateStatus: worth("expired") }],
      "nothing",
      "certificate_invalid",
    ],
    [
      "sealed with what is not known to be revoked",
      [{ ...seal, certificateStatus: worth("unknown") }],
      "nothing",
      "unrecorded",
    ],
    [
      "sealed twice, the first time with what had expired",
      [{ ...seal, certificateStatus: worth("expired") }, seal],
      "nothing",
      "unrecorded",
    ],
    ["without signatures", [], null, "unsigned"],
    ["with data of others after its seal", sealed, "validation_data_by_others", "data_by_others"],
  ])("%s", (_name, signatures, afterSeal, verdict) => {
    for (const knowsAuthorities of [true, false])
      expect(verdictOf({ found: found(signatures, afterSeal), record: null, knowsAuthorities })).toBe(verdict);
  });

  test.each([true, false])("and whose document's events do not hold (%s), is told", (beginsAsNamed) => {
    const record = { document: null, chainIntact: false, beginsAsNamed };
    expect(verdictOf({ found: files.sealed, record, knowsAuthorities: true })).toBe("evidence_broken");
  });

  test("but begins with one that is, is by the data that came after", () => {
    const record = { document: null, chainIntact: true, beginsAsNamed: true };
    expect(verdictOf({ found: files.sealed_with_data_by_others, record, knowsAuthorities: true })).toBe(
      "data_by_others",
    );
  });
});
