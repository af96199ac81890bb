import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { extensions, type Issued, TestAuthority } from "@rubrica/test-kit/pdf/certificate-authority";
import { impatient } from "@rubrica/test-kit/pdf/clocks";
import { firstFurtherObject, pdf, stampOf } from "@rubrica/test-kit/pdf/fixtures";
import {
  startTimestampServer,
  type TimestampServer,
  type TimestampServerOptions,
} from "@rubrica/test-kit/pdf/timestamp-server";
import { has, hasPyHanko, output, pyHankoVerdicts, temporaryFile } from "@rubrica/test-kit/pdf/tools";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { startWebServer, type WebServer } from "@rubrica/test-kit/pdf/web-server";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { certificateFrom, extension, keyUsage } from "../../../src/asn1/certificate.ts";
import { certificateFields } from "../../../src/asn1/certificate-fields.ts";
import { run } from "../../../src/engine/tasks.ts";
import {
  CertificateRevoked,
  createPdfEngine,
  loadOrCreateSigningIdentity,
  type PdfEngine,
  type Sealed,
  type SigningIdentity,
  signingIdentityFromP12,
  TimestampFailed,
} from "../../../src/index.ts";
import { type Certified, newAuthority, publishedBy } from "../../../src/sealing/authority.ts";
import { gatherValidationData } from "../../../src/sealing/validation-data.ts";

const pyHanko = hasPyHanko();
/** DER of a timestamp server's root, or of what was issued. */
const certificateOf = (of: TimestampServer | Issued): Uint8Array =>
  new Uint8Array(new X509Certificate(readFileSync("rootPath" in of ? of.rootPath : of.certificatePath)).raw);
const pem = (bytes: Uint8Array): string =>
  temporaryFile(Buffer.from(new X509Certificate(bytes).toString()), "root.pem");

describe.skipIf(!has("openssl") || !has("pdfsig"))("validation data for the long term", () => {
  const folder = mkdtempSync(join(tmpdir(), "rubrica-lt-"));
  const servers: (TimestampServer | WebServer)[] = [];
  let engine: PdfEngine;
  let own: SigningIdentity;

  beforeAll(async () => {
    engine = createPdfEngine({ clock: impatient(), processes: 1 });
    own = await loadOrCreateSigningIdentity(folder, "http://localhost:3000", systemClock, systemRandom);
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });

  const timestampServer = async (options: TimestampServerOptions): Promise<TimestampServer> => {
    const server = await startTimestampServer(mkdtempSync(join(folder, "tsa-")), options);
    servers.push(server);
    return server;
  };

  const sealed = (
    server: TimestampServer,
    identity = own,
    level: "B-T" | "B-LT" | "B-LTA" = "B-LTA",
  ): Promise<Sealed> =>
    engine.stampAndSeal(pdf(), [stampOf()], {
      identity,
      sealedAt: systemClock.now(),
      timestamps: { urls: [server.url], level },
    });

  /** That a seal is what it says to whoever has the file and the roots alone. */
  const expectValid = async ({ bytes, level }: Sealed, roots: readonly Uint8Array[]): Promise<void> => {
    const file = temporaryFile(bytes);
    expect(output("pdfsig", file)).toContain("Signature is Valid");
    expect(output("qpdf", "--check", file)).toContain("No syntax");
    // The first is the seal's, the others are of authorities for timestamps.
    const [own = new Uint8Array(), ...timestampRoots] = roots;
    expect(await engine.verify(bytes, [own], "", { timestampRoots })).toMatchObject({ untouched: true });
    if (!pyHanko) return;
    const [verdict] = pyHankoVerdicts(bytes, "lta", roots.map(pem));
    expect(verdict).toMatchObject({ bottomLine: true, timestamped: true, modifications: "LTA_UPDATES" });
    if (level === "B-LTA") expect(verdict?.ades).toBe("AdESPassed.OK");
  };

  /** How many of each kind the file's security store has. */
  const storeOf = ({ bytes }: Sealed) => {
    const text = Buffer.from(bytes).toString("latin1");
    const count = (name: string) => text.match(new RegExp(`/${name} ?\\[([^\\]]*)\\]`))?.[1]?.match(/\d+ 0 R/g)?.length;
    return { Certs: count("Certs"), CRLs: count("CRLs") ?? 0, OCSPs: count("OCSPs") ?? 0 };
  };

  const ownRoot = () => own.issuers.at(-1) ?? new Uint8Array();

  test.each(["B-LT", "B-LTA"] as const)("with OCSP alone a seal reaches %s", async (level) => {
    const server = await timestampServer({ revocation: "ocsp" });
    const result = await sealed(server, own, level);
    expect(result).toMatchObject({ level, shortfall: null });
    expect(storeOf(result)).toEqual({ Certs: 4, CRLs: 1, OCSPs: 1 });
    await expectValid(result, [ownRoot(), certificateOf(server)]);
  });

  test("what was embedded by nobody's word is noticed, be the rest written as the service does", async () => {
    const server = await timestampServer({ revocation: "ocsp" });
    const { bytes } = await sealed(server, own, "B-T");
    const signers = [own.certificate, certificateOf(server.signer)];
    const known = [...own.issuers, certificateOf(server)];
    const tools = { clock: impatient(), random: systemRandom };
    const data = await gatherValidationData(signers, known, own.authority, tools);
    const untouched = async (ocsps: readonly Uint8Array[]) => {
      const file = await run({ kind: "addValidationData", bytes, data: { ...data, ocsps } });
      const timestampRoots = [certificateOf(server)];
      return (await engine.verify(file as Uint8Array, [ownRoot()], "", { timestampRoots })).untouched;
    };
    expect(await untouched(data.ocsps)).toBe(true);
    const revoked = data.ocsps.map((response) => Buffer.from(response));
    // The answer's status: [0] is good, [2] is unknown.
    for (const response of revoked) response.writeUInt8(0x82, response.indexOf(Buffer.from("8000180f", "hex")));
    expect(await untouched(revoked)).toBe(false);
    expect(await untouched([...data.ocsps, Buffer.from("nonsense")])).toBe(false);
  });

  test.skipIf(!pyHanko)("an older timestamp that is not trusted is one too many for pyHanko alone", async () => {
    const older = await timestampServer({ revocation: "ocsp", name: "Older TSA" });
    const server = await timestampServer({ revocation: "ocsp" });
    const first = await sealed(older);
    const timestamps = { urls: [server.url], level: "B-LTA" } as const;
    const { bytes } = await engine.seal(first.bytes, { identity: own, sealedAt: systemClock.now(), timestamps });
    const ades = (...roots: Uint8Array[]) => pyHankoVerdicts(bytes, "lta", roots.map(pem)).at(-1)?.ades;
    expect(ades(ownRoot(), certificateOf(server))).toBe("AdESIndeterminate.NO_POE");
    expect(ades(ownRoot(), certificateOf(server), certificateOf(older))).toBe("AdESPassed.OK");
  });

  describe("of a document that came with a validation store", () => {
    const root = newAuthority(systemClock, systemRandom);
    const intermediate = (() => {
      const { key, certificate } = newAuthority(systemClock, systemRandom);
      const { subject, publicKey } = certificateFields(certificate);
      const content = {
        serialNumber: Buffer.from([7]),
        issuer: certificateFields(root.certificate).subject.encoded,
        subject: subject.encoded,
        notBefore: 0,
        notAfter: systemClock.now() + 1e10,
        publicKey: publicKey.encoded,
        extensions: [extension.basicConstraints(0), extension.keyUsage(keyUsage.keyCertSign | keyUsage.cRLSign)],
      };
      return { key, certificate: new Uint8Array(certificateFrom(content, root.key)) };
    })();
    const listOf = (authority: Certified) => publishedBy(authority, systemClock).crl();

    /** A document with a store, whose streams are compressed. */
    const stored = (certificates: readonly Uint8Array[], crls: readonly Uint8Array[]): Uint8Array => {
      const first = firstFurtherObject(1);
      const references = (count: number, from: number) =>
        Array.from({ length: count }, (_, index) => `${from + index} 0 R`).join(" ");
      const store = `/Certs[${references(certificates.length, first)}]/CRLs[${references(crls.length, first + certificates.length)}]`;
      const objects = [...certificates, ...crls].map((bytes) =>
        streamOf(deflateSync(bytes).toString("latin1"), "/Filter/FlateDecode"),
      );
      return pdf({ catalog: `/DSS<<${store}>>`, objects });
    };

    const archived = async (bytes: Uint8Array): Promise<Sealed & { timestampRoots: Uint8Array[] }> => {
      const server = await timestampServer({ revocation: "ocsp" });
      const timestamps = { urls: [server.url], level: "B-LTA" } as const;
      const sealed = await engine.seal(bytes, { identity: own, sealedAt: systemClock.now(), timestamps });
      return { ...sealed, timestampRoots: [certificateOf(server)] };
    };

    test("a seal reaches B-LTA, and is found untouched, be the store compressed", async () => {
      const result = await archived(
        stored([intermediate.certificate, root.certificate], [listOf(intermediate), listOf(root)]),
      );
      expect(result).toMatchObject({ level: "B-LTA", shortfall: null });
      expect(
        await engine.verify(result.bytes, [ownRoot()], "", { timestampRoots: result.timestampRoots }),
      ).toMatchObject({ untouched: true });
    });

    test("with a list of an issuer whose status it does not tell, a seal counts as B-T, as for EU DSS", async () => {
      const result = await archived(stored([intermediate.certificate, root.certificate], [listOf(intermediate)]));
      expect(result).toMatchObject({ level: "B-T", shortfall: expect.stringContaining("Rubrica Signing CA") });
      expect(
        await engine.verify(result.bytes, [ownRoot()], "", { timestampRoots: result.timestampRoots }),
      ).toMatchObject({ untouched: true });
    });
  });

  test.each([
    ["whose status need not be checked", [extensions.noCheck], { Certs: 5, CRLs: 1, OCSPs: 1 }],
    ["whose status is in a revocation list", [], { Certs: 5, CRLs: 2, OCSPs: 1 }],
  ] as const)("the certificate of a delegated responder is embedded: one %s", async (_which, lines, store) => {
    const server = await timestampServer({ revocation: "ocsp" });
    const { authority, web } = server;
    const listed = lines.length > 0 ? lines : [extensions.crlAt(`${web.url}/crl`)];
    const responder = authority.issue("Responder", [...extensions.responder, ...listed]);
    web.pages.set("/ocsp", (request) => authority.ocsp(request, { responder }));
    for (const level of ["B-LT", "B-LTA"] as const) {
      const result = await sealed(server, own, level);
      expect(result).toMatchObject({ level, shortfall: null });
      expect(storeOf(result)).toEqual(store);
      await expectValid(result, [ownRoot(), certificateOf(server)]);
    }
  });

  test("of a chain of three, each certificate's status is embedded", async () => {
    const server = await timestampServer({ revocation: "both", hasIntermediate: true });
    const result = await sealed(server);
    expect(result).toMatchObject({ level: "B-LTA", shortfall: null });
    expect(storeOf(result)).toEqual({ Certs: 5, CRLs: 2, OCSPs: 1 });
    await expectValid(result, [ownRoot(), certificateOf(server)]);
  });

  test("where OCSP fails, the revocation list is embedded", async () => {
    const server = await timestampServer({ revocation: "both" });
    server.web.pages.delete("/ocsp");
    const result = await sealed(server);
    expect(result).toMatchObject({ level: "B-LTA", shortfall: null });
    expect(storeOf(result)).toEqual({ Certs: 4, CRLs: 2, OCSPs: 0 });
    await expectValid(result, [ownRoot(), certificateOf(server)]);
  });

  test("a status that nobody knows, or tells, leaves the level at B-T, and that is said", async () => {
    const unknown = await timestampServer({ revocation: "ocsp" });
    unknown.authority.makeUnknown("Test TSA");
    expect(await sealed(unknown)).toMatchObject({
      level: "B-T",
      shortfall: "no revocation data for CN=Test TSA (OCSP: the responder does not know the certificate)",
    });
    expect(await sealed(await timestampServer({ revocation: "nowhere" }))).toMatchObject({
      level: "B-T",
      shortfall: expect.stringContaining("names neither an OCSP responder nor a revocation list"),
    });
  });

  test.each(["ocsp", "crl"] as const)("a revoked timestamp server gives no timestamps (%s)", async (revocation) => {
    const server = await timestampServer({ revocation });
    server.authority.revoke("Test TSA");
    const failure = await sealed(server).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TimestampFailed);
    expect(String((failure as Error).cause)).toContain("CN=Test TSA is revoked");
  });

  describe("with a certificate from elsewhere", () => {
    let web: WebServer;
    let root: TestAuthority;
    let intermediate: TestAuthority;
    let server: TimestampServer;

    /** A seal's certificate of a company's authority of two tiers, which tells of revocation by OCSP alone. */
    const company = async (): Promise<Issued> => {
      web = await startWebServer();
      servers.push(web);
      const place = mkdtempSync(join(folder, "company-"));
      const access = (name: string) => extensions.ocspAndIssuerAt(`${web.url}/${name}-ocsp`, `${web.url}/${name}`);
      root = new TestAuthority(place, "Company Root");
      intermediate = new TestAuthority(place, "Company CA", root, [access("root")]);
      // pyHanko's time slide asks for the status of a root that answers by itself: its responder is a delegated one.
      const responder = root.issue("Company Responder", [...extensions.responder, extensions.noCheck]);
      web.pages.set("/root-ocsp", (request) => root.ocsp(request, { responder }));
      web.pages.set("/intermediate-ocsp", (request) => intermediate.ocsp(request));
      server = await timestampServer({ revocation: "ocsp" });
      return intermediate.issue("Company Seal", [...extensions.seal, access("intermediate")]);
    };

    /** @param issuers that come along in the file */
    const identityOf = ({ certificatePath, keyPath }: Issued, issuers: readonly TestAuthority[]) => {
      const chain = Buffer.concat(issuers.map((issuer) => readFileSync(issuer.certificatePath)));
      const others = issuers.length === 0 ? [] : ["-certfile", temporaryFile(chain, "chain.pem")];
      const files = ["-in", certificatePath, "-inkey", keyPath, ...others];
      return signingIdentityFromP12(
        execFileSync("openssl", ["pkcs12", "-export", ...files, "-passout", "pass:p"]),
        "p",
      );
    };

    test("that brings its intermediate certificates, a seal reaches B-LTA by OCSP alone", async () => {
      const identity = await identityOf(await company(), [intermediate, root]);
      expect(identity.issuers).toHaveLength(2);
      const result = await sealed(server, identity);
      expect(result).toMatchObject({ level: "B-LTA", shortfall: null });
      expect(storeOf(result)).toEqual({ Certs: 6, CRLs: 0, OCSPs: 3 });
      await expectValid(result, [root.certificate, certificateOf(server)]);
    });

    const forms = {
      DER: ({ certificate }: TestAuthority) => certificate,
      PEM: ({ certificatePath }: TestAuthority) => readFileSync(certificatePath),
      "CMS without signers": ({ certificatePath }: TestAuthority) =>
        execFileSync("openssl", ["crl2pkcs7", "-nocrl", "-certfile", certificatePath, "-outform", "DER"]),
    };
    test.each(["DER", "PEM", "CMS without signers"] as const)(
      "that brings none, they are fetched (%s)",
      async (form) => {
        const identity = await identityOf(await company(), []);
        expect(identity.issuers).toEqual([]);
        let asked = 0;
        web.pages.set("/intermediate", () =>
          asked++ === 0 ? { status: 500, body: Buffer.alloc(0) } : forms[form](intermediate),
        );
        expect(await sealed(server, identity)).toMatchObject({
          level: "B-T",
          shortfall: "no issuer for CN=Company CA",
        });
        web.pages.set("/root", () => forms[form](root));
        const result = await sealed(server, identity);
        expect(result).toMatchObject({ level: "B-LTA", shortfall: null });
        if (form === "DER") await expectValid(result, [root.certificate, certificateOf(server)]);
      },
    );

    test("that is revoked, nothing is sealed", async () => {
      const identity = await identityOf(await company(), [intermediate, root]);
      intermediate.revoke("Company Seal");
      await expect(sealed(server, identity)).rejects.toBeInstanceOf(CertificateRevoked);
      intermediate.restore("Company Seal");
      root.revoke("Company CA");
      await expect(sealed(server, identity)).rejects.toThrow("CN=Company CA is revoked");
    });
  });
});
