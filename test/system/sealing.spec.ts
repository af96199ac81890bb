import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "@rubrica/config";
import { openSigning } from "@rubrica/hosting/shared/signing";
import type { JournalEvent } from "@rubrica/journal";
import { createPdfEngine } from "@rubrica/pdf";
import { systemRuntime } from "@rubrica/runtime";
import { eventually, samplePdf, sampleSigner, temporaryFolder, toolsMissing } from "@rubrica/test-kit";
import { extensions, TestAuthority } from "@rubrica/test-kit/pdf/certificate-authority";
import { startTimestampServer } from "@rubrica/test-kit/pdf/timestamp-server";
import { startWebServer } from "@rubrica/test-kit/pdf/web-server";
import { describe, expect, test } from "vitest";
import { inspect } from "../support/inspection.ts";
import { serviceInProcess, type TestService } from "../support/service.ts";

const PASSPHRASE = "open sesame";
const nothingElse = { formerCertificates: undefined, timestampRoots: undefined };

/** Requests a document of one signer, and signs it. */
const signed = async ({ client }: TestService): Promise<string> => {
  const { id_seguimiento, urls } = await client.requestDocument(await samplePdf(), [sampleSigner(1)]);
  await client.sign(urls[0]?.link ?? "");
  return id_seguimiento;
};

/** The events about a document's seal, once it is sealed. */
const sealingOf = async (service: TestService, documentId: string): Promise<JournalEvent[]> => {
  await using inspection = await inspect(service.dataDir);
  return await eventually("the seal", async () => {
    const all = await inspection.events();
    const events = all.filter(
      ({ streamId, type }) => streamId === documentId && (type === "DocumentSealed" || type === "SealingFailed"),
    );
    return events.some(({ type }) => type === "DocumentSealed") && events;
  });
};

/** The sealed file, and what `POST /api/verify` says of it. */
const verified = async ({ client, url }: TestService, documentId: string) => {
  const bytes = await eventually("the sealed file", async () => {
    const file = await client.read(`/api/v2/documents/${documentId}`);
    return file.status === 200 && new Uint8Array(file.bytes);
  });
  const headers = { "content-type": "application/pdf" };
  const answer = await fetch(`${url}/api/verify`, { method: "POST", headers, body: bytes });
  return { bytes, found: await answer.json() };
};

/** A P12 file whose certificate was issued by an authority that the service does not know, `root.pem` of the folder. */
const p12In = (folder: string, name = "seal"): string => {
  const path = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: ["ignore", "pipe", "pipe"] });
  const certify = (certified: string, subject: string, ...options: string[]) => {
    const keyFile = path(`${certified}.key`);
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", keyFile];
    openssl("req", "-x509", ...key, "-subj", subject, ...options, "-days", "365", "-out", path(`${certified}.pem`));
  };
  if (!existsSync(path("root.pem"))) certify("root", "/CN=Company Root");
  const issuer = ["-CA", path("root.pem"), "-CAkey", path("root.key")];
  certify(name, "/CN=Company Seal", ...issuer, "-addext", "basicConstraints=critical,CA:false");
  const files = ["-inkey", path(`${name}.key`), "-in", path(`${name}.pem`), "-certfile", path("root.pem")];
  openssl("pkcs12", "-export", ...files, "-passout", `pass:${PASSPHRASE}`, "-out", path(`${name}.p12`));
  return path(`${name}.p12`);
};

describe.skipIf(toolsMissing("openssl"))("sealing", () => {
  test("with a timestamp server reaches B-LTA; while it fails, nothing is sealed, and that is recorded", async () => {
    using folder = temporaryFolder();
    const authority = await startTimestampServer(folder.path);
    try {
      const failure = { status: 503, body: Buffer.from("closed") };
      authority.answerNext(failure, failure, failure);
      await using service = await serviceInProcess({ environment: { TSA_URL: authority.url } });
      const documentId = await signed(service);
      const events = await sealingOf(service, documentId);
      expect(events.map(({ type, data }) => ({ type, data }))).toMatchObject([
        { type: "SealingFailed", data: { attempt: 1, reason: "timestamp_unavailable" } },
        { type: "DocumentSealed", data: { level: "B-LTA", shortfall: null } },
      ]);
      expect((await verified(service, documentId)).found).toMatchObject({
        verdict: "valid",
        signatures: [
          {
            kind: "signature",
            of_this_service: true,
            timestamped_at: expect.stringMatching(/Z$/),
            timestamped_by: expect.stringContaining("CN="),
          },
          { kind: "document_timestamp", of_this_service: false, intact: true },
        ],
        document: { id_seguimiento: documentId, level: "B-LTA" },
      });
    } finally {
      await authority.close();
    }
  });

  test("tells why it fell short of the level, where validation data is not to be had", async () => {
    using folder = temporaryFolder();
    const authority = await startTimestampServer(folder.path);
    authority.publishes = false;
    try {
      await using service = await serviceInProcess({ environment: { TSA_URL: authority.url } });
      const events = await sealingOf(service, await signed(service));
      expect(events).toMatchObject([
        { type: "DocumentSealed", data: { level: "B-T", shortfall: expect.stringMatching(/\w/) } },
      ]);
    } finally {
      await authority.close();
    }
  });

  test("with a certificate that is revoked seals nothing, and that is recorded", async () => {
    using folder = temporaryFolder();
    const [timestamps, web] = [await startTimestampServer(folder.path), await startWebServer()];
    try {
      const issuer = new TestAuthority(folder.path, "Company Root");
      const seal = issuer.issue("Company Seal", [...extensions.seal, extensions.ocspAt(`${web.url}/ocsp`)]);
      let asked = 0;
      web.pages.set("/ocsp", (request) => {
        if (asked++ === 0) issuer.revoke("Company Seal");
        else issuer.restore("Company Seal");
        return issuer.ocsp(request);
      });
      const path = join(folder.path, "seal.p12");
      const files = ["-inkey", seal.keyPath, "-in", seal.certificatePath, "-certfile", issuer.certificatePath];
      execFileSync("openssl", ["pkcs12", "-export", ...files, "-passout", `pass:${PASSPHRASE}`, "-out", path]);
      const own = { SIGNING_CERTIFICATE_P12: path, SIGNING_CERTIFICATE_PASSPHRASE: PASSPHRASE };
      await using service = await serviceInProcess({ environment: { TSA_URL: timestamps.url, ...own } });
      const events = await sealingOf(service, await signed(service));
      expect(events.map(({ type, data }) => ({ type, data }))).toMatchObject([
        { type: "SealingFailed", data: { attempt: 1, reason: "certificate_revoked" } },
        { type: "DocumentSealed", data: { level: "B-LTA", shortfall: null } },
      ]);
    } finally {
      await timestamps.close();
      await web.close();
    }
  });

  test("uses the certificate that the environment names, and makes no authority of its own", async () => {
    using folder = temporaryFolder();
    const environment = {
      SIGNING_CERTIFICATE_P12: p12In(folder.path),
      SIGNING_CERTIFICATE_PASSPHRASE: PASSPHRASE,
    };
    await using service = await serviceInProcess({ environment });
    const documentId = await signed(service);
    await sealingOf(service, documentId);
    const { bytes, found } = await verified(service, documentId);
    expect(found).toMatchObject({ verdict: "valid", signatures: [{ signed_by: "CN=Company Seal" }] });
    const root = new Uint8Array(new X509Certificate(readFileSync(join(folder.path, "root.pem"))).raw);
    const engine = createPdfEngine({ clock: systemRuntime().clock, processes: 1 });
    const ofItself = await engine.verify(bytes, [root]);
    await engine.close();
    expect(ofItself).toMatchObject({ untouched: true, signatures: [{ intact: true, trusted: true }] });
    expect((await fetch(`${service.url}/pki/ca.crt`)).status).toBe(404);
    expect(existsSync(join(service.dataDir, "pki"))).toBe(false);
  });

  test("with a certificate from elsewhere, what another's by the same authority and name sealed is not its own", async () => {
    using folder = temporaryFolder();
    const runtime = systemRuntime();
    const opened = (name: string) => {
      const signingCertificate = { p12Path: p12In(folder.path, name), passphrase: PASSPHRASE };
      return openSigning({
        config: { dataDir: join(folder.path, name), signingCertificate, ...nothingElse },
        publicUrl: "https://sign.example",
        runtime,
      });
    };
    const [own, other] = [await opened("seal"), await opened("other")];
    const engine = createPdfEngine({ clock: runtime.clock, processes: 1 });
    const sealed = await engine.seal(await samplePdf(), { identity: other.identity, sealedAt: runtime.clock.now() });
    expect(await engine.verify(sealed.bytes, other.roots)).toMatchObject({ untouched: true });
    expect(await engine.verify(sealed.bytes, own.roots)).toMatchObject({
      untouched: false,
      signatures: [{ intact: true, trusted: false }],
    });
    await engine.close();
  });

  test("with a certificate from elsewhere, what a former one sealed stays its own where that is named", async () => {
    using folder = temporaryFolder();
    const runtime = systemRuntime();
    const path = join(folder.path, "former.pem");
    const opened = (name: string, formerCertificates?: string) =>
      openSigning({
        config: {
          dataDir: join(folder.path, name),
          signingCertificate: { p12Path: p12In(folder.path, name), passphrase: PASSPHRASE },
          formerCertificates,
          timestampRoots: undefined,
        },
        publicUrl: "https://sign.example",
        runtime,
      });
    const former = await opened("former");
    writeFileSync(path, `Subject: former\n${new X509Certificate(former.identity.certificate)}`);
    const today = await opened("today", path);
    expect(today.roots).toEqual([today.identity.certificate, former.identity.certificate]);
    writeFileSync(path, "nothing");
    await expect(opened("today", path)).rejects.toThrow(/^The variable FORMER_CERTIFICATES can't be used: .+\.$/);
  });

  test("with a certificate from elsewhere, what the own authority sealed before stays checkable", async () => {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, "data");
    const certificate = { p12Path: p12In(folder.path), passphrase: PASSPHRASE };
    const runtime = systemRuntime();
    const url = "https://sign.example";
    const before = await openSigning({
      config: { dataDir, signingCertificate: undefined, ...nothingElse },
      publicUrl: url,
      runtime,
    });
    const after = await openSigning({
      config: { dataDir, signingCertificate: certificate, ...nothingElse },
      publicUrl: url,
      runtime,
    });
    expect(after.identity.authority).toBeNull();
    expect(after.authority?.certificate).toEqual(before.authority?.certificate);
    expect(after.roots).toHaveLength(2);
    expect(after.roots[1]).toEqual(before.roots[0]);
  });

  test("refuses to start with a certificate that it can't open, and does not tell the passphrase", async () => {
    using folder = temporaryFolder();
    const environment = {
      SIGNING_CERTIFICATE_P12: p12In(folder.path),
      SIGNING_CERTIFICATE_PASSPHRASE: "guessed-passphrase",
    };
    const start = serviceInProcess({ environment });
    await expect(start).rejects.toThrow(ConfigError);
    await expect(start).rejects.toThrow(/^The variable SIGNING_CERTIFICATE_P12 can't be used: .+\.$/);
    await expect(start).rejects.not.toThrow("guessed-passphrase");
    await expect(serviceInProcess({ environment: { SIGNING_CERTIFICATE_P12: "/nowhere.p12" } })).rejects.toThrow(
      ConfigError,
    );
  });
});
