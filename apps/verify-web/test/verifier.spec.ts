import type { Verification, VerifiedSignature } from "@rubrica/pdf";
import { systemClock } from "@rubrica/runtime";
import { expect, test } from "vitest";
import { createVerifier } from "../src/verifier.ts";
import { another, seal, timestamp } from "./given.ts";

/** Which signature's page is shown of a file with these, by how much of it was there then; null for none. */
const shownOf = async (signatures: VerifiedSignature[], untouched = false) => {
  const found: Verification = { readable: true, untouched, afterSeal: untouched ? "nothing" : "other", signatures };
  const drawn: number[] = [];
  const verifier = createVerifier({
    pdf: {
      verify: async () => found,
      async asSigned(_bytes, signedBytes) {
        drawn.push(signedBytes);
        return { page: 1, width: 1, height: 1, png: new Uint8Array() };
      },
    },
    clock: systemClock,
    authority: null,
    roots: [],
    timestampRoots: [],
    issuers: [],
    events: { readStream: async function* () {}, lastPosition: async () => undefined },
    readModels: { get: async () => undefined },
    freshness: { waitFor: async () => true } as never,
    known: { end: async () => undefined, first: { end: async () => undefined } as never },
  });
  const { asSigned } = await verifier.verify(Buffer.from("file"), "somebody");
  expect(drawn).toHaveLength(asSigned === null ? 0 : 1);
  return asSigned?.signature ?? null;
};

const after = (signature: VerifiedSignature, changesAfter: VerifiedSignature["changesAfter"]) => ({
  ...signature,
  changesAfter,
});

test.each<[string, VerifiedSignature[], number | null]>([
  ["other content came after it", [after(seal, "other"), another], 0],
  [
    "somebody else's signature came after the seal, which may be drawn over the page",
    [after(seal, "signing"), another],
    0,
  ],
  ["of several seals, that came after the last", [after(seal, "signing"), after(seal, "signing"), another], 1],
  ["somebody signed after somebody", [after(another, "signing"), another], 0],
  ["other content came after one, and a signature after another", [after(seal, "other"), after(seal, "signing")], 0],
])("a page is shown as signed where %s", async (_where, signatures, shown) => {
  expect(await shownOf(signatures)).toBe(shown);
});

test.each<[string, VerifiedSignature[], boolean?]>([
  ["nothing came after the last signature", [after(another, "none")]],
  ["this service's seals alone follow each other", [after(seal, "signing"), after(seal, "none")]],
  ["this service sealed it to its last bit", [after(seal, "signing"), after(timestamp, "none")], true],
  ["the signature does not hold", [{ ...after(another, "signing"), intact: false }]],
  ["there are none", []],
])("none is where %s", async (_where, signatures, untouched) => {
  expect(await shownOf(signatures, untouched)).toBeNull();
});
