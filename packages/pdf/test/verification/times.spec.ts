import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@rubrica/runtime";
import { extensions, type Issued, TestAuthority } from "@rubrica/test-kit/pdf/certificate-authority";
import { impatient } from "@rubrica/test-kit/pdf/clocks";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { startTimestampServer, type TimestampServer } from "@rubrica/test-kit/pdf/timestamp-server";
import { has, hasPyHanko, pyHankoVerdicts, temporaryFile } from "@rubrica/test-kit/pdf/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { certificateFrom, extension, nameOf, publicKeyOf } from "../../src/asn1/certificate.ts";
import { isTrusted } from "../../src/asn1/chain.ts";
import { createPdfEngine, type PdfEngine, type SigningIdentity, type Timestamps } from "../../src/index.ts";
import { identityFrom } from "../../src/sealing/identity.ts";
import { type Beside, verify } from "../../src/verification/verify.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const pyHanko = hasPyHanko();
const certificateAt = (path: string): Uint8Array => new Uint8Array(new X509Certificate(readFileSync(path)).raw);

describe.skipIf(!has("openssl"))("a signature's certificate is judged", () => {
  let folder: string;
  // Certificates and lists are made while the tests run.
  const now = systemClock.now() + 10 * 60_000;
  let engine: PdfEngine;
  let authority: TestAuthority;
  let server: TimestampServer;
  let short: TimestampServer;
  let timestampRoots: Uint8Array[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "rubrica-times-"));
    engine = createPdfEngine({ clock: impatient(), processes: 1 });
    authority = new TestAuthority(folder, "Signers");
    server = await startTimestampServer(mkdtempSync(join(folder, "tsa-")), { name: "Long TSA", validDays: 7_300 });
    short = await startTimestampServer(mkdtempSync(join(folder, "tsa-")), { name: "Short TSA", validDays: 30 });
    server.web.pages.set("/signers.crl", () => authority.crl());
    timestampRoots = [certificateAt(server.rootPath), certificateAt(short.rootPath)];
  });
  afterAll(async () => {
    await server.close();
    await short.close();
    await engine.close();
    rmSync(folder, { recursive: true });
  });

  const identityOf = ({ certificatePath, keyPath }: Issued): SigningIdentity =>
    identityFrom(
      createPrivateKey(readFileSync(keyPath)),
      certificateAt(certificatePath),
      [new Uint8Array(authority.certificate)],
      null,
    );
  const issued = (name: string, days?: number) =>
    authority.issue(name, [...extensions.seal, extensions.crlAt(`${server.web.url}/signers.crl`)], days);
  const sealed = async (issuedTo: Issued, timestamps?: Timestamps, document = pdf()): Promise<Uint8Array> => {
    const sealing = { identity: identityOf(issuedTo), sealedAt: now, ...(timestamps ? { timestamps } : {}) };
    return (await engine.seal(document, sealing)).bytes;
  };
  const byServer = (level: "B-T" | "B-LTA" = "B-T", { url } = server): Timestamps => ({ urls: [url], level });
  const judged = (bytes: Uint8Array, beside: Partial<Beside> = {}) => {
    const crls = [new Uint8Array(authority.crl())];
    return verify(bytes, [new Uint8Array(authority.certificate)], { now, crls, timestampRoots, ...beside }).signatures;
  };
  const pyHankoTrusts = (bytes: Uint8Array): boolean | undefined => {
    const crl = temporaryFile(authority.crl(), "list.crl");
    return pyHankoVerdicts(bytes, "plain", [authority.certificatePath], [crl])[0]?.bottomLine;
  };

  test("as of now where no time is proven: good, expired, revoked, or not known", async () => {
    const [good, expired, revoked] = [issued("Good"), issued("Expired", -1), issued("Revoked")];
    const files = [await sealed(good), await sealed(expired), await sealed(revoked)];
    authority.revoke("Revoked");
    const found = files.map((bytes) => judged(bytes)[0]);
    expect(
      found.map((one) => [one?.intact, one?.proof, one?.certificateStatus?.at, one?.certificateStatus?.status]),
    ).toEqual([
      [true, null, now, "good"],
      [true, null, now, "expired"],
      [true, null, now, "revoked"],
    ]);
    expect(found[2]?.certificateStatus?.revokedAt).toBe(Date.UTC(2020, 0, 1));
    const [bytes = new Uint8Array()] = files;
    expect(judged(bytes, { crls: [] })[0]?.certificateStatus).toMatchObject({
      status: "unknown",
      revocationKnownAt: null,
    });
    // A list that has lapsed says nothing of later.
    expect(judged(bytes, { now: now + 60 * DAY_MS })[0]?.certificateStatus?.status).toBe("unknown");
    expect(judged(bytes, { now: now + 400 * DAY_MS })[0]?.certificateStatus?.status).toBe("expired");
    expect(judged(bytes, { now: now - 400 * DAY_MS })[0]?.certificateStatus?.status).toBe("not_yet_valid");
    if (pyHanko) expect(files.map(pyHankoTrusts)).toEqual([true, false, false]);
  });

  test("as of a trusted timestamp: what ended or was revoked later was good then", async () => {
    const bytes = await sealed(issued("Later"), byServer());
    authority.revoke("Later", now + 100 * DAY_MS);
    const [found] = judged(bytes, { now: now + 400 * DAY_MS });
    expect(found?.proof).toMatchObject({ by: "signature_timestamp", trusted: true, authority: "CN=Test TSA" });
    expect(found?.proof?.at).toBe(found?.timestampedAt);
    expect(found?.certificateStatus).toMatchObject({
      at: found?.timestampedAt,
      status: "good",
      revokedAt: Math.floor((now + 100 * DAY_MS) / 1_000) * 1_000,
    });
    authority.revoke("Later");
    expect(judged(bytes, { now: now + 400 * DAY_MS })[0]?.certificateStatus?.status).toBe("revoked");
  });

  test("as of now where the timestamp's authority is nobody's, has ended, or is revoked: it is named, and proves nothing", async () => {
    const bytes = await sealed(issued("Foreign time"), byServer("B-T", short));
    const later = { now: now + 400 * DAY_MS };
    expect(judged(bytes, { ...later, timestampRoots: [] })[0]).toMatchObject({
      proof: { trusted: false, authority: "CN=Test TSA" },
      certificateStatus: { at: later.now, status: "expired" },
    });
    expect(judged(bytes, later)[0]).toMatchObject({
      proof: { trusted: false, certificateStatus: { status: "expired" } },
      certificateStatus: { at: later.now, status: "expired" },
    });
    expect(judged(bytes)[0]?.proof?.trusted).toBe(true);
    short.authority.revoke("Test TSA");
    const crls = [new Uint8Array(short.authority.crl())];
    short.authority.restore("Test TSA");
    expect(judged(bytes, { crls })[0]?.proof).toMatchObject({
      trusted: false,
      certificateStatus: { status: "revoked" },
    });
  });

  test("as of the record of the very file where no timestamp is older", async () => {
    const bytes = await sealed(issued("Recorded"));
    const certificateSha256 = judged(bytes)[0]?.certificate?.sha256 ?? "";
    const beside = { now: now + 400 * DAY_MS, record: { at: now + 1_000, certificateSha256 } };
    expect(judged(bytes, beside)[0]).toMatchObject({
      proof: { by: "record", at: now + 1_000, authority: null, trusted: true },
      certificateStatus: { at: now + 1_000, status: "good" },
    });
    // Of a file with another's seal, a record that somebody wrote into proves no time.
    const other = { at: now + 1_000, certificateSha256: "ab".repeat(32) };
    expect(judged(bytes, { ...beside, record: other })[0]).toMatchObject({ proof: null });
    expect(verify(bytes, [], { now, record: beside.record }).signatures[0]).toMatchObject({ proof: null });
  });

  test("of a certificate that vouches for itself it is never good, unless it is trusted as it is", async () => {
    const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    const name = nameOf("Somebody", "Elsewhere");
    const validity = { notBefore: now - DAY_MS, notAfter: now + DAY_MS };
    const content = { serialNumber: Buffer.from([7]), issuer: name, subject: name, ...validity };
    const certificate = new Uint8Array(
      certificateFrom({ ...content, publicKey: publicKeyOf(key), extensions: [] }, key),
    );
    const identity = identityFrom(key, certificate, [], null);
    const { bytes: signed } = await engine.seal(pdf(), { identity, sealedAt: now });
    const status = (roots: Uint8Array[]) => verify(signed, roots, { now }).signatures[0]?.certificateStatus?.status;
    expect(status([])).toBe("unknown");
    expect(status([certificate])).toBe("good");
  });

  test("through timestamps that vouch for each other: the last of them proves the ones before", async () => {
    const first = await sealed(issued("Chained"), byServer("B-LTA", short));
    const bytes = await sealed(issued("Second"), byServer("B-LTA"), first);
    const later = { now: now + 400 * DAY_MS };
    expect(judged(first, later)[0]?.proof?.trusted).toBe(false);
    const found = judged(bytes, later);
    expect(found[0]).toMatchObject({
      proof: { by: "signature_timestamp", trusted: true },
      certificateStatus: { status: "good" },
    });
    // Trusted in the last one alone, the first is as old as what is trusted.
    const [one, ...others] = judged(bytes, { ...later, timestampRoots: [certificateAt(server.rootPath)] });
    const last = others.find(({ trustedTime }) => trustedTime);
    expect(last?.kind).toBe("document_timestamp");
    expect(one?.proof).toMatchObject({ by: "document_timestamp", at: last?.claimedAt, trusted: true });
  });
});

test.each([true, false])("who was given a certificate by an authority is one where it says so: %s", (isAuthority) => {
  const keys = Array.from({ length: 3 }, () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);
  const [rootKey, middleKey, lastKey] = keys as [KeyObject, KeyObject, KeyObject];
  const certified = (name: string, issuer: string, key: KeyObject, issuerKey: KeyObject, pathLength: number | null) => {
    const content = {
      serialNumber: Buffer.from([7]),
      issuer: nameOf(issuer, "Test"),
      subject: nameOf(name, "Test"),
      notBefore: systemClock.now() - DAY_MS,
      notAfter: systemClock.now() + DAY_MS,
      publicKey: publicKeyOf(key),
      extensions: [extension.basicConstraints(pathLength)],
    };
    return new Uint8Array(certificateFrom(content, issuerKey));
  };
  const root = certified("Root", "Root", rootKey, rootKey, 1);
  const middle = certified("Middle", "Root", middleKey, rootKey, isAuthority ? 0 : null);
  const last = certified("Time", "Middle", lastKey, middleKey, null);
  expect(isTrusted(last, [middle, root], [root], "any")).toBe(isAuthority);
});
