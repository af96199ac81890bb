import { createHash, X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventHash } from "@rubrica/events";
import { NotYetThere } from "@rubrica/http";
import { hashedForm } from "@rubrica/journal";
import { createPdfEngine, loadOrCreateSigningIdentity, type PdfEngine, type SigningIdentity } from "@rubrica/pdf";
import { systemRuntime } from "@rubrica/runtime";
import { seededRandom } from "@rubrica/runtime/testing";
import { eventually, outputOf, samplePdf, sampleSigner, temporaryFolder, toolsMissing } from "@rubrica/test-kit";
import { pdf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf, updated } from "@rubrica/test-kit/pdf/update";
import { createVerifier, type Verifier, type VerifierDependencies } from "@rubrica/verify-web";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Inspection, inspect } from "../support/inspection.ts";
import { serviceInProcess, type TestService } from "../support/service.ts";

const FLIPS = 1_000;
const { clock, random } = systemRuntime();
const cleanup = new AsyncDisposableStack();
let service: TestService;
let inspection: Inspection;
let engine: PdfEngine;
let identity: SigningIdentity;
let documentId: string;
let sealed: Buffer;

/** Has a file signed and sealed by the service, in the name of a signer of a phone that nothing else is asked of. */
const sealedByService = async (bytes: Uint8Array, signer: number) => {
  const { id_seguimiento, urls } = await service.client.requestDocument(bytes, [sampleSigner(signer)]);
  await service.client.sign(urls[0]?.link ?? "");
  const file = await eventually("the sealed file", async () => {
    const answer = await service.client.read(`/api/v2/documents/${id_seguimiento}`);
    return answer.status === 200 && answer.bytes;
  });
  return { documentId: id_seguimiento, file };
};

beforeAll(async () => {
  service = cleanup.use(await serviceInProcess());
  ({ documentId, file: sealed } = await sealedByService(await samplePdf(), 1));
  inspection = cleanup.use(await inspect(service.dataDir));
  engine = createPdfEngine({ clock, processes: 1 });
  cleanup.defer(() => engine.close());
  const publicUrl = `http://localhost:${new URL(service.url).port}`;
  identity = await loadOrCreateSigningIdentity(service.dataDir, publicUrl, clock, random);
});
afterAll(() => cleanup.disposeAsync());

/** Sends a file as a program does, without a key. */
const verify = async (bytes: Uint8Array) => {
  const headers = { "content-type": "application/pdf" };
  const answer = await fetch(`${service.url}/api/verify`, { method: "POST", headers, body: new Uint8Array(bytes) });
  expect(answer.status).toBe(200);
  return (await answer.json()) as {
    verdict: string;
    reason: string | null;
    signatures: object[];
    document: unknown;
    as_signed: { png: string } | null;
  };
};

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** A verifier on the service's own stores. */
const verifierWith = (changes: Partial<VerifierDependencies> = {}): Verifier => {
  const { events, readModels, known } = inspection.engines;
  const freshness = { waitFor: async () => true };
  const trust = {
    authority: identity.authority,
    roots: identity.issuers,
    timestampRoots: [],
    asksAuthorities: false,
    issuers: identity.issuers,
  };
  return createVerifier({ pdf: engine, clock, ...trust, events, readModels, freshness, known, ...changes });
};

describe("a file", () => {
  test("as it was sealed is valid: by whom, when, and whose it is", async () => {
    expect(await verify(sealed)).toMatchObject({
      verdict: "valid",
      readable: true,
      reason: null,
      signatures: [
        {
          kind: "signature",
          intact: true,
          of_this_service: true,
          time: { proven_by: "record", authority: null, trusted: true },
          certificate: { status: "good" },
          changes_after: "none",
        },
      ],
      document: { id_seguimiento: documentId, level: "B-B", chain_intact: true },
    });
  });

  test("has its result as a PDF, which bears the service's seal itself, and is no document on record", async () => {
    const headers = { "content-type": "application/pdf", accept: "application/pdf" };
    const body = new Uint8Array(sealed);
    const answer = await fetch(`${service.url}/api/verify`, { method: "POST", headers, body });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    const result = Buffer.from(await answer.arrayBuffer());
    expect(await verify(result)).toMatchObject({
      verdict: "unrecorded",
      signatures: [{ of_this_service: true }],
      document: null,
    });
  });

  test("is judged as of the record when its certificate has ended; a report, which is on none, is worth nothing then", async () => {
    const later = { now: () => clock.now() + 6 * 365 * 24 * 60 * 60 * 1_000 };
    const future = createPdfEngine({ clock: { ...clock, ...later }, processes: 1 });
    try {
      const verifier = verifierWith({ pdf: future, clock: { ...clock, ...later } });
      const found = await verifier.verify(sealed, "somebody");
      expect([found.verdict, found.signatures[0]?.proof?.by]).toEqual(["valid", "record"]);
      const report = await engine.seal(await samplePdf({ text: "Report" }), { identity, sealedAt: clock.now() });
      const other = await verifier.verify(report.bytes, "somebody");
      expect([other.verdict, other.signatures[0]?.certificateStatus?.status]).toEqual([
        "certificate_invalid",
        "expired",
      ]);
    } finally {
      await future.close();
    }
  });

  test("as it was before it was signed has no signatures", async () => {
    expect(await verify(await samplePdf())).toMatchObject({ verdict: "unsigned", signatures: [], document: null });
  });

  test("that is none of this service's documents but bears its seal is told apart", async () => {
    const report = await engine.seal(await samplePdf({ text: "Report" }), { identity, sealedAt: clock.now() });
    expect(await verify(report.bytes)).toMatchObject({ verdict: "unrecorded", document: null });
  });

  test("that another service sealed is another's", async () => {
    using folder = temporaryFolder();
    const other = await loadOrCreateSigningIdentity(folder.path, "https://other.example", clock, random);
    const file = await engine.seal(await samplePdf(), { identity: other, sealedAt: clock.now() });
    expect(await verify(file.bytes)).toMatchObject({
      verdict: "foreign",
      signatures: [{ intact: true, of_this_service: false }],
    });
  });

  test("with one byte more is changed", async () => {
    expect(await verify(Buffer.concat([sealed, Buffer.from("\n")]))).toMatchObject({
      verdict: "changed",
      document: null,
    });
  });

  test("with other words than were signed is changed, and its page is shown as it was signed", async () => {
    const { file } = await sealedByService(pdf({ pages: [{ content: textAt(50, 700, "I owe you nothing") }] }), 2);
    const changed = await verify(updated(file, { 5: streamOf("0 0 1 rg 0 0 595 842 re f") }));
    expect(changed).toMatchObject({
      verdict: "changed",
      as_signed: { signature: 0, page: 1, width: 595, height: 842 },
    });
    const { dominant } = await sharp(Buffer.from(String(changed.as_signed?.png), "base64")).stats();
    expect(Math.min(dominant.r, dominant.g, dominant.b)).toBeGreaterThan(200);
    expect((await verify(file)).as_signed).toBeNull();
  });

  test("that is no PDF can't be read, and it says why", async () => {
    const found = await verify(Buffer.from("not a PDF"));
    expect(found).toMatchObject({ verdict: "unreadable", reason: expect.stringMatching(/PDF/), document: null });
  });

  test(`with any of ${FLIPS} random bits flipped is neither intact nor known`, async () => {
    const verifier = verifierWith();
    const chance = seededRandom(11);
    const missed: number[] = [];
    for (let flip = 0; flip < FLIPS; flip += 1) {
      const bit = Math.floor(chance.fraction() * sealed.length * 8);
      const bytes = new Uint8Array(sealed);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const { verdict, document } = await verifier.verify(bytes, "somebody");
      if (document !== null || verdict === "valid" || verdict === "unrecorded") missed.push(bit);
    }
    expect(missed).toEqual([]);
    expect((await verifier.verify(sealed, "somebody")).verdict).toBe("valid");
  });

  test("whose events were tampered with is told", async () => {
    const { events } = inspection.engines;
    const readStream: typeof events.readStream = async function* (stream, from) {
      for await (const event of events.readStream(stream, from)) {
        yield event.type === "DocumentSigned" ? { ...event, metadata: { ...event.metadata, at: "2020-01-01" } } : event;
      }
    };
    const { verdict, document } = await verifierWith({
      events: { readStream, lastPosition: () => events.lastPosition() },
    }).verify(sealed, "somebody");
    expect([verdict, document]).toEqual([
      "evidence_broken",
      expect.objectContaining({ documentId, chainIntact: false }),
    ]);
  });

  test("that whoever writes to the store puts in the place of the sealed one is not authentic", async () => {
    using folder = temporaryFolder();
    const theirs = await loadOrCreateSigningIdentity(folder.path, "https://other.example", clock, random);
    const { bytes } = await engine.seal(await samplePdf({ text: "Forged" }), {
      identity: theirs,
      sealedAt: clock.now(),
    });
    const { events } = inspection.engines;
    const forgedWith = (certificateSha256?: string) => {
      const readStream: typeof events.readStream = async function* (stream, from) {
        let previousHash = "0".repeat(64);
        for await (const event of events.readStream(stream, from)) {
          const data = event.data.data as { file: object; certificateSha256: string };
          const named = { ...data, file: { ...data.file, sha256: sha256(bytes) } };
          const replaced = certificateSha256 === undefined ? named : { ...named, certificateSha256 };
          const changed =
            event.type === "DocumentSealed" ? { ...event, data: { ...event.data, data: replaced } } : event;
          const hash = eventHash(hashedForm(changed), previousHash);
          yield { ...changed, metadata: { ...changed.metadata, hash, previousHash } };
          previousHash = hash;
        }
      };
      const get = async () => ({ id: "", position: { commit: 0n, prepare: 0n }, document: { documentId } }) as never;
      return verifierWith({ events: { readStream, lastPosition: () => events.lastPosition() }, readModels: { get } });
    };
    for (const verifier of [forgedWith(), forgedWith(theirs.certificateSha256)]) {
      const found = await verifier.verify(bytes, "somebody");
      expect(found).toMatchObject({ verdict: "record_contradicted", document: { chainIntact: true } });
      expect(found.signatures[0]?.proof).toBeNull();
    }
  });

  test("that was only just sealed is found once the read models have come so far", async () => {
    const { readModels } = inspection.engines;
    let behind = true;
    const get: typeof readModels.get = async (...asked) => (behind ? undefined : readModels.get(...asked));
    const waitFor = async () => {
      await clock.wait(0);
      behind = false;
      return true;
    };
    expect(
      (await verifierWith({ readModels: { get }, freshness: { waitFor } }).verify(sealed, "somebody")).verdict,
    ).toBe("valid");
  });

  test("that was sealed here is not called unrecorded while the records are behind; what is no seal of ours is judged", async () => {
    const behind = verifierWith({
      readModels: { get: async () => undefined },
      freshness: { waitFor: async () => false },
    });
    const report = await engine.seal(await samplePdf({ text: "Report" }), { identity, sealedAt: clock.now() });
    await expect(behind.verify(report.bytes, "somebody")).rejects.toThrow(NotYetThere);
    // A document's seal names it, and its events are there.
    expect((await behind.verify(sealed, "somebody")).verdict).toBe("valid");
    expect((await behind.verify(Buffer.concat([sealed, Buffer.from("\n")]), "somebody")).verdict).toBe("changed");
  });

  test("is not taken for one by the read model alone", async () => {
    const get = async () => ({ id: "", position: { commit: 0n, prepare: 0n }, document: { documentId } }) as never;
    const changed = Buffer.concat([sealed, Buffer.from("\n")]);
    expect(await verifierWith({ readModels: { get } }).verify(changed, "somebody")).toMatchObject({
      verdict: "changed",
      document: null,
    });
  });
});

describe.skipIf(toolsMissing("openssl"))("the own authority", () => {
  const bytesAt = async (path: string, mediaType: string) => {
    const answer = await fetch(service.url + path);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, mediaType]);
    return Buffer.from(await answer.arrayBuffer());
  };

  test("publishes its certificate, and a revocation list that it signed", async () => {
    using folder = temporaryFolder();
    const path = (name: string) => join(folder.path, name);
    const certificate = new X509Certificate(await bytesAt("/pki/ca.crt", "application/pkix-cert"));
    writeFileSync(path("ca.pem"), certificate.toString());
    writeFileSync(path("ca.crl"), await bytesAt("/pki/ca.crl", "application/pkix-crl"));
    const arguments_ = ["-inform", "DER", "-in", path("ca.crl"), "-CAfile", path("ca.pem"), "-noout"];
    expect(outputOf("openssl", "crl", ...arguments_)).toMatchObject({ code: 0, text: expect.stringMatching(/OK/) });
    const seal = new X509Certificate(identity.certificate);
    expect(seal.verify(certificate.publicKey)).toBe(true);
    expect(seal.infoAccess).toContain("/pki/ca.crt");
  });
});
