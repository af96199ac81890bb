import { systemClock, systemRandom } from "@rubrica/runtime";
import { temporaryFolder } from "@rubrica/test-kit";
import { pdf, stampOf } from "@rubrica/test-kit/pdf/fixtures";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NotDer, readDer, sequence, text } from "../../src/asn1/der.ts";
import {
  createPdfEngine,
  loadOrCreateSigningIdentity,
  type Named,
  type PdfEngine,
  type SigningIdentity,
  signedKinds,
} from "../../src/index.ts";
import { namedValue, readNamed } from "../../src/sealing/named.ts";
import { verify } from "../../src/verification/verify.ts";

let engine: PdfEngine;
let identity: SigningIdentity;
beforeAll(async () => {
  using folder = temporaryFolder();
  engine = createPdfEngine({ clock: systemClock, processes: 1 });
  identity = await loadOrCreateSigningIdentity(folder.path, "http://localhost", systemClock, systemRandom);
});
afterAll(() => engine.close());

const sealedAs = async (named?: Named) => {
  const sealing = { identity, sealedAt: systemClock.now(), ...(named ? { named } : {}) };
  return (await engine.seal(pdf(), sealing)).bytes;
};
const found = (bytes: Uint8Array) => verify(bytes, [...identity.issuers], { now: systemClock.now() });

test.each(signedKinds)("a seal says that it is over a %s, and which", async (kind) => {
  const named = { kind, id: "019aa5c0-0000-7000-8000-0000000000d1" };
  const { untouched, signatures } = found(await sealedAs(named));
  expect(untouched).toBe(true);
  expect(signatures).toMatchObject([{ intact: true, named }]);
});

test("one that says nothing, as those of earlier releases, holds as ever", async () => {
  const { untouched, signatures } = found(await sealedAs());
  expect(untouched).toBe(true);
  expect(signatures).toMatchObject([{ intact: true, named: null }]);
});

test("of the several seals of a document that came signed, those that others follow are over a part of it", async () => {
  const named = { kind: "document", id: "019aa5c0-0000-7000-8000-0000000000d1" } as const;
  const stamps = [1, 2, 3].map((number) => stampOf({ placement: { pages: "last", x: 150 * number, y: 700 } }));
  const sealing = { identity, sealedAt: systemClock.now(), named };
  const { bytes } = await engine.stampAndSeal(await sealedAs(), stamps, sealing);
  const { untouched, signatures } = found(bytes);
  expect(untouched).toBe(true);
  const part = { ...named, kind: "part" };
  expect(signatures.map((one) => one.named)).toEqual([null, part, part, named]);
  const cut = found(bytes.subarray(0, signatures[2]?.coveredBytes));
  expect(cut.signatures.at(-1)).toMatchObject({ intact: true, trusted: true, named: part });
});

test("what it says can't be changed", async () => {
  const bytes = Buffer.from(await sealedAs({ kind: "report", id: "r" }));
  const report = Buffer.from(Buffer.from("report").toString("hex"));
  const verification = Buffer.from(Buffer.from("rePort").toString("hex"));
  const at = bytes.indexOf(report);
  expect(at).toBeGreaterThan(0);
  verification.copy(bytes, at);
  expect(found(bytes)).toMatchObject({ untouched: false, signatures: [{ intact: false }] });
});

test("what is of another form, or of a kind that is not known, is not taken for a name", () => {
  expect(readNamed(readDer(namedValue({ kind: "head", id: "é" })))).toEqual({ kind: "head", id: "é" });
  expect(readNamed(readDer(sequence(text("contract"), text("d"))))).toBeNull();
  expect(readNamed(readDer(sequence(text("head"), text("d".repeat(201)))))).toBeNull();
  expect(() => readNamed(readDer(sequence(text("head"))))).toThrow(NotDer);
  expect(() => readNamed(readDer(sequence(text("head"), text("d"), text("e"))))).toThrow(NotDer);
});
