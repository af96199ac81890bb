import { hash } from "node:crypto";
import { recordSealed, requestDocument, sign } from "@rubrica/domain";
import type { EventStore, RecordedEvent } from "@rubrica/event-store";
import { sample } from "@rubrica/events";
import type { Verification, VerifiedSignature } from "@rubrica/pdf";
import { systemClock } from "@rubrica/runtime";
import { contextOf, documentIds, openWorld, requestOf, signerOfDocument } from "@rubrica/test-kit/commands";
import { signing } from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import { createVerifier } from "../src/verifier.ts";
import { another, seal, timestamp } from "./given.ts";

/**
 * Which signature's page is shown of a file with these; null for none.
 * @param looksAlike those since which each page looks the same
 */
const shownOf = async (given: VerifiedSignature[], untouched = false, looksAlike: readonly number[] = []) => {
  const signatures = given.map((each, index) => ({ ...each, coveredBytes: 100 * (index + 1) }));
  const found: Verification = { readable: true, untouched, afterSeal: untouched ? "nothing" : "other", signatures };
  let calls = 0;
  const verifier = createVerifier({
    pdf: {
      verify: async () => found,
      async asSigned(_bytes, signedBytes) {
        calls += 1;
        const changed = signedBytes.find((each) => !looksAlike.includes(each / 100 - 1));
        return changed === undefined
          ? null
          : { signedBytes: changed, page: 1, width: 1, height: 1, png: new Uint8Array() };
      },
    },
    clock: systemClock,
    authority: null,
    roots: [],
    timestampRoots: [],
    asksAuthorities: false,
    issuers: [],
    events: { readStream: async function* () {}, lastPosition: async () => undefined },
    readModels: { get: async () => undefined },
    freshness: { waitFor: async () => true } as never,
    known: { end: async () => undefined, first: { end: async () => undefined } as never },
  });
  const { asSigned } = await verifier.verify(Buffer.from("file"), "somebody");
  return { signature: asSigned?.signature ?? null, calls };
};

const after = (signature: VerifiedSignature, changesAfter: VerifiedSignature["changesAfter"]) => ({
  ...signature,
  changesAfter,
});

test.each<[string, VerifiedSignature[], number, number[]?]>([
  ["other content came after it", [after(seal, "other"), another], 0],
  [
    "somebody else's signature came after the seal, which may be drawn over the page",
    [after(seal, "signing"), another],
    0,
  ],
  ["of several seals, that came after the last", [after(seal, "signing"), after(seal, "signing"), another], 1],
  ["somebody signed after somebody", [after(another, "signing"), another], 0],
  ["other content came after one, and a signature after another", [after(seal, "other"), after(seal, "signing")], 0],
  ["others signed twice after somebody", [after(another, "signing"), after(another, "signing"), another], 0],
  [
    "the first looks the same, and the second does not",
    [after(another, "signing"), after(another, "signing"), another],
    1,
    [0],
  ],
  [
    "others signed twice after the seal",
    [after(another, "signing"), after(seal, "signing"), after(another, "signing"), another],
    1,
  ],
])("a page is shown as signed where %s", async (_where, signatures, shown, looksAlike) => {
  expect(await shownOf(signatures, false, looksAlike)).toEqual({ signature: shown, calls: 1 });
});

test.each<[string, VerifiedSignature[], boolean?]>([
  ["nothing came after the last signature", [after(another, "none")]],
  ["this service's seals alone follow each other", [after(seal, "signing"), after(seal, "none")]],
  ["this service sealed it to its last bit", [after(seal, "signing"), after(timestamp, "none")], true],
  ["the signature does not hold", [{ ...after(another, "signing"), intact: false }]],
  ["there are none", []],
])("none is where %s", async (_where, signatures, untouched) => {
  expect(await shownOf(signatures, untouched)).toEqual({ signature: null, calls: 0 });
});

describe("a file whose seal names its document", () => {
  const documentId = documentIds.first;
  const file = Buffer.from("the sealed file");

  /** The verdict on a file that the document's seal is over, by events as they are, or as somebody made them. */
  const verdictBy = async (
    shown: Buffer,
    {
      led = false,
      kind = "document" as const,
      asksAuthorities = false,
      afterSeal = "nothing" as const,
      tampered,
    }: {
      led?: boolean;
      asksAuthorities?: boolean;
      afterSeal?: "nothing" | "validation_data_by_others";
      kind?: "document" | "part";
      tampered?: (event: RecordedEvent) => RecordedEvent | undefined;
    } = {},
  ) => {
    await using world = openWorld();
    const { documents } = world.handlers;
    await documents.handle(documentId, requestDocument, requestOf(documentId), contextOf("request"));
    await documents.handle(documentId, sign, signing(signerOfDocument(documentId)), contextOf("sign"));
    const certificateSha256 = seal.certificate?.sha256 ?? "";
    const sealed = { file: { ...sample.pdf, size: file.length, sha256: hash("sha256", file) }, certificateSha256 };
    const reached = { level: "B-B" as const, shortfall: null, toComplete: false, provenUntil: null };
    const command = { ...sealed, ...reached, ownAuthority: true, timestamp: null, sendCopies: false };
    await documents.handle(documentId, recordSealed, command, contextOf("seal"));
    const signatures = [{ ...seal, named: { kind, id: documentId } }];
    const found: Verification = { readable: true, untouched: afterSeal === "nothing", afterSeal, signatures };
    const { store } = world.journal;
    const readStream: EventStore["readStream"] = async function* (...asked) {
      for await (const event of store.readStream(...asked)) {
        const read = tampered ? tampered(event) : event;
        if (read) yield read;
      }
    };
    const verifier = createVerifier({
      pdf: { verify: async () => found, asSigned: async () => null },
      clock: systemClock,
      authority: null,
      roots: [],
      timestampRoots: [],
      asksAuthorities,
      issuers: [],
      events: { readStream, lastPosition: () => store.lastPosition() },
      readModels: { get: async () => (led ? { document: { documentId }, position: "" } : undefined) as never },
      freshness: { waitFor: async () => true } as never,
      known: { end: async () => undefined, first: { end: async () => undefined } as never },
    });
    return (await verifier.verify(shown, "somebody")).verdict;
  };

  test.each([true, false])("is authentic by its events, whether the read model knows it (%s) or not", async (led) =>
    expect(await verdictBy(file, { led })).toBe("valid"),
  );

  test.each([true, false])("is not vouched for where its events name another file (%s)", async (led) => {
    const tampered = (event: RecordedEvent): RecordedEvent =>
      event.type === "DocumentSealed"
        ? { ...event, data: { ...event.data, data: { ...(event.data.data as object), file: sample.pdf } } }
        : event;
    expect(await verdictBy(file, { led, tampered })).toBe("evidence_broken");
  });

  test("is not where the event that names it is gone", async () =>
    expect(await verdictBy(file, { tampered: (event) => (event.type === "DocumentSealed" ? undefined : event) })).toBe(
      "record_missing",
    ));

  test("is not where it is cut off before what was sealed later", async () => {
    for (const kind of ["document", "part"] as const)
      expect(await verdictBy(file.subarray(0, -1), { kind })).toBe("record_missing");
  });

  test("is not with data of others, though its events name it, where the service asks nobody for any", async () => {
    const afterSeal = "validation_data_by_others";
    expect(await verdictBy(file, { afterSeal })).toBe("data_by_others");
    expect(await verdictBy(file, { afterSeal, asksAuthorities: true })).toBe("valid");
  });

  test("is not where its events name it, and its seal says that others follow", async () =>
    expect(await verdictBy(file, { kind: "part" })).toBe("record_contradicted"));
});
