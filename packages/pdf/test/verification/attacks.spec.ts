import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { joined } from "@rubrica/pdf-reading/bytes";
import { pagesOf } from "@rubrica/pdf-reading/pages";
import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { Revision } from "@rubrica/pdf-reading/revision";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { pdf, stampOf } from "@rubrica/test-kit/pdf/fixtures";
import { verifyNow as verify } from "@rubrica/test-kit/pdf/tools";
import { bodyOf, lastSignature, updated } from "@rubrica/test-kit/pdf/update";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { oid } from "../../src/asn1/oids.ts";
import { createPdfEngine, loadOrCreateSigningIdentity, type PdfEngine, type SigningIdentity } from "../../src/index.ts";
import { addSignatureField, prepare } from "../../src/sealing/field.ts";
import { laterChanges } from "../../src/verification/later-changes.ts";
import { type Forgery, forgedCms, forgedToken, imitated, stranger, withCms } from "./attacks/cms.ts";
import { manipulations, sealedText, shadows, toldTwice } from "./attacks/manipulations.ts";

const folder = mkdtempSync(join(tmpdir(), "rubrica-attacks-"));
let engine: PdfEngine;
let ours: SigningIdentity;
let theirs: SigningIdentity;
let roots: Uint8Array[];

beforeAll(async () => {
  engine = createPdfEngine({ clock: systemClock, processes: 1 });
  const identityIn = (name: string) =>
    loadOrCreateSigningIdentity(join(folder, name), "http://localhost:3000", systemClock, systemRandom);
  [ours, theirs] = [await identityIn("ours"), await identityIn("theirs")];
  roots = [...ours.issuers];
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

const sealed = async (bytes: Uint8Array): Promise<Uint8Array> =>
  (await engine.seal(bytes, { identity: ours, sealedAt: systemClock.now() })).bytes;
const document = () => pdf({ pages: [{ content: sealedText }] });

/** A sealed file with enough bytes reserved for a longer signature. */
const withReserve = async (): Promise<Uint8Array> => {
  const file = PdfFile.open(document());
  const entries = { type: "Sig", subFilter: "ETSI.CAdES.detached", claimedAt: null, reason: null } as const;
  const revision = new Revision(file);
  const opened = { file, pages: pagesOf(file), signatures: [] };
  const signature = addSignatureField(opened, revision, entries, 8_000, []);
  return joined(prepare(revision.write(), signature, 8_000).bytes);
};

/** Fails unless a file is found to be another than the one that was sealed. */
const expectFound = (attacked: Uint8Array): void => {
  const { untouched, signatures } = verify(attacked, roots);
  expect(untouched).toBe(false);
  const misled = signatures.filter(({ intact, changesAfter }) => intact === true && changesAfter !== "other");
  expect(misled).toEqual([]);
};

describe("a sealed document is found to be changed", () => {
  test.each(Object.entries(manipulations))("%s", async (_name, manipulate) => {
    const original = await sealed(document());
    expect(verify(original, roots).untouched).toBe(true);
    expectFound(manipulate(original));
  });
});

test("a signature is not told once more, with another date", async () => {
  const { untouched, signatures } = verify(toldTwice(await sealed(document())), roots);
  expect(untouched).toBe(false);
  expect(signatures.map(({ intact }) => intact)).toEqual([false, true]);
});

describe("a document that was prepared for it is found to be changed after its seal", () => {
  test.each(Object.entries(shadows))("%s", async (_name, { prepare, change }) => {
    const original = await sealed(prepare(document()));
    expect(verify(original, roots)).toMatchObject({ untouched: true, signatures: [{ changesAfter: "none" }] });
    expectFound(change(original));
  });
});

describe("what was signed by somebody else", () => {
  test("after the seal, seen over the page, is told apart from what the service sealed", async () => {
    const both = await engine.stampAndSeal(await sealed(document()), [stampOf()], {
      identity: theirs,
      sealedAt: systemClock.now(),
    });
    expect(verify(both.bytes, roots)).toMatchObject({
      untouched: false,
      signatures: [
        { intact: true, trusted: true, changesAfter: "signing" },
        { intact: true, trusted: false, changesAfter: "none" },
      ],
    });
  });

  test("by an authority of the same name, under the same certificate's name and number, is not the service's", async () => {
    const signer = imitated(ours.certificate);
    for (const certificates of [[signer.certificate], [signer.certificate, ...ours.issuers]]) {
      const forged = withCms(await withReserve(), (signed) => forgedCms(signed, { signer, certificates }));
      expect(verify(forged, roots)).toMatchObject({ untouched: false, signatures: [{ intact: true, trusted: false }] });
    }
  });

  const [signer, authority] = [stranger(), stranger({ purpose: "timestamps" })];
  test.each<[string, Partial<Forgery>, boolean | null, string]>([
    ["without its certificate", { certificates: [] }, null, "the signer's certificate is not within"],
    ["without naming its certificate", { named: null }, false, "it does not name its certificate"],
    ["naming another certificate", { named: stranger().certificate }, false, "it does not name its certificate"],
    [
      "over another file",
      { content: { type: oid.data, bytes: Buffer.from("other") } },
      false,
      "what it signs was changed",
    ],
    ["over SHA-1", { digest: "sha1" }, null, "it rests on SHA-1"],
    ["over MD5", { digest: "md5" }, null, "it is of a form that can't be checked"],
    [
      "with the timestamp of another",
      { token: () => forgedToken(Buffer.from("other"), authority) },
      false,
      "the timestamp is over something else",
    ],
    [
      "with a timestamp by a certificate for signatures",
      { token: (value) => forgedToken(value, signer) },
      false,
      "the timestamp's certificate is not for timestamps",
    ],
    [
      "with a timestamp of before its authority was",
      { token: (value) => forgedToken(value, authority, "20100101000000Z") },
      false,
      "the timestamp's certificate had expired, or was not valid yet",
    ],
  ])("%s is not intact", async (_name, forgery, intact, fault) => {
    const forged = withCms(await withReserve(), (signed) => forgedCms(signed, { signer, ...forgery }));
    expect(verify(forged, roots)).toMatchObject({ untouched: false, signatures: [{ intact, fault }] });
  });

  test("but over the file, and by its own name, is intact", async () => {
    const token = (value: Uint8Array) => forgedToken(value, authority);
    const signed = withCms(await withReserve(), (bytes) => forgedCms(bytes, { signer, token }));
    expect(verify(signed, roots)).toMatchObject({
      untouched: false,
      signatures: [{ intact: true, trusted: false, timestampedAt: Date.UTC(2026, 0, 1) }],
    });
  });

  test("in a dictionary that says two things at once is not intact", async () => {
    const twice = Buffer.from(await withReserve());
    twice.write("/Contents<00>".padEnd("/Filter/Adobe.PPKLite".length), twice.indexOf("/Filter/Adobe.PPKLite"));
    const signed = withCms(twice, (bytes) => forgedCms(bytes, { signer }));
    expect(verify(signed, roots)).toMatchObject({
      signatures: [{ intact: false, fault: "its dictionary says two things at once" }],
    });
  });

  test("with the seal of another file is not intact", async () => {
    const other = Buffer.from(await sealed(pdf({ pages: [{}] })));
    const { gapStart, gapEnd } = lastSignature(other);
    const cms = Buffer.from(other.toString("latin1", gapStart + 1, gapEnd - 1), "hex");
    const swapped = withCms(await sealed(document()), () => cms);
    expect(verify(swapped, roots)).toMatchObject({
      signatures: [{ intact: false, fault: "what it signs was changed" }],
    });
  });
});

describe("after a certification", () => {
  const [signature, widget] = [902, 903];
  const certified = (permission: number) => {
    const original = pdf({ pages: [{ content: sealedText }], catalog: "/AcroForm<</Fields[ 6 0 R]/SigFlags 3>>" });
    const reference = `/Reference[<</TransformMethod/DocMDP/TransformParams<</P ${permission}>>>>]`;
    return updated(original, { 6: "<</FT/Sig/T(c)/V 7 0 R>>", 7: `<</Type/Sig${reference}>>` });
  };
  const added = { seen: "/Rect[0 0 99 99]/AP<</N 3 0 R>>", unseen: "/Rect[0 0 0 0]" };

  test.each<[number, keyof typeof added, string, string]>([
    [1, "unseen", "ETSI.CAdES.detached", "other"],
    [1, "unseen", "ETSI.RFC3161", "signing"],
    [1, "seen", "ETSI.RFC3161", "other"],
    [2, "unseen", "ETSI.CAdES.detached", "signing"],
    [2, "seen", "ETSI.CAdES.detached", "other"],
    [3, "seen", "ETSI.CAdES.detached", "signing"],
  ])("that permits %d, a field that is %s with %s counts as %s", (permission, place, subFilter, expected) => {
    const original = certified(permission);
    const attacked = updated(original, {
      1: bodyOf(original, 1).replace("/Fields[", `/Fields[${widget} 0 R`),
      [widget]: `<</Type/Annot/Subtype/Widget/FT/Sig/T(s)/V ${signature} 0 R${added[place]}>>`,
      [signature]: `<</Type/Sig/SubFilter/${subFilter}/ByteRange[0 1 2 3]/Contents<00>>>`,
    });
    expect(laterChanges(PdfFile.open(attacked), [original.length]).get(original.length)).toBe(expected);
  });
});
