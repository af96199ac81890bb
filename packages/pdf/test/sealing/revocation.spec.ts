import { sign, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemRandom } from "@rubrica/runtime";
import { extensions, type Issued, TestAuthority } from "@rubrica/test-kit/pdf/certificate-authority";
import { impatient, overdue } from "@rubrica/test-kit/pdf/clocks";
import { has, output, temporaryFile } from "@rubrica/test-kit/pdf/tools";
import { startWebServer, type WebServer } from "@rubrica/test-kit/pdf/web-server";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bitString, childrenOf, der, objectIdentifier, readDer, sequence, tag } from "../../src/asn1/der.ts";
import { encodeOcspResponse, isVouchedFor, ocspRequest, readOcspResponse } from "../../src/asn1/ocsp.ts";
import { oid } from "../../src/asn1/oids.ts";
import { type RevocationTools, revocationOf } from "../../src/sealing/revocation.ts";

const HOUR_MS = 60 * 60 * 1_000;
const certificateOf = ({ certificatePath }: Issued): Uint8Array =>
  new Uint8Array(new X509Certificate(readFileSync(certificatePath)).raw);

const whole = (part: Buffer | undefined): Buffer => part ?? Buffer.alloc(0);

describe.skipIf(!has("openssl"))("whether a certificate is revoked", () => {
  let folder: string;
  let web: WebServer;
  let authority: TestAuthority;
  let stranger: TestAuthority;
  let ocspOnly: Issued;
  let both: Issued;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "rubrica-ocsp-"));
    web = await startWebServer();
    authority = new TestAuthority(folder, "Test CA");
    stranger = new TestAuthority(folder, "Stranger CA");
    const [ocsp, crl] = [extensions.ocspAt(`${web.url}/ocsp`), extensions.crlAt(`${web.url}/crl`)];
    ocspOnly = authority.issue("OCSP only", [...extensions.seal, ocsp]);
    both = authority.issue("OCSP and CRL", [...extensions.seal, ocsp, crl]);
  });
  beforeEach(() => {
    for (const name of ["OCSP only", "OCSP and CRL"]) authority.restore(name);
    web.pages.set("/ocsp", (request) => authority.ocsp(request));
    web.pages.set("/crl", () => authority.crl());
    web.requests.length = 0;
  });
  afterAll(async () => {
    await web.close();
    rmSync(folder, { recursive: true });
  });

  const asked = (certificate: Issued, tools: Partial<RevocationTools> = {}) =>
    revocationOf(certificateOf(certificate), certificateOf(authority), {
      clock: impatient(),
      random: systemRandom,
      ...tools,
    });

  /** How much of what was found. */
  const found = async (certificate: Issued, tools: Partial<RevocationTools> = {}) => {
    const data = await asked(certificate, tools);
    if (data === "revoked") throw new Error("revoked");
    const hashes = data.certificates.map((each) => new X509Certificate(each).fingerprint256);
    return { certificates: hashes, crls: data.crls.length, ocsps: data.ocsps.length };
  };
  const hash = (certificate: Issued) => new X509Certificate(certificateOf(certificate)).fingerprint256;
  /** What is embedded of the answer about a certificate. */
  const embedded = async (certificate: Issued): Promise<Buffer> => {
    const data = await asked(certificate);
    return Buffer.from((data === "revoked" ? undefined : data.ocsps[0]) ?? []);
  };

  const delegated = (name: string, lines: readonly string[], days?: number, issuer = authority) => {
    const responder = issuer.issue(name, lines, days);
    web.pages.set("/ocsp", (request) => authority.ocsp(request, { responder }));
    return responder;
  };

  test("is told by the issuer's own responder", async () => {
    expect(await found(ocspOnly)).toEqual({ certificates: [], crls: 0, ocsps: 1 });
    const file = temporaryFile(await embedded(ocspOnly), "response.der");
    const [issuer, certificate] = [authority.certificatePath, ocspOnly.certificatePath];
    const files = ["-respin", file, "-issuer", issuer, "-CAfile", issuer, "-cert", certificate, "-no_nonce"];
    expect(output("openssl", "ocsp", ...files)).toContain(`${certificate}: good`);
  });

  test("is asked for as OpenSSL asks, with a nonce of 32 bytes", () => {
    const nonce = Buffer.alloc(32, 7);
    const request = temporaryFile(ocspRequest(certificateOf(ocspOnly), certificateOf(authority), nonce), "request.der");
    const text = output("openssl", "ocsp", "-reqin", request, "-req_text");
    expect(text).toContain(nonce.toString("hex").toUpperCase());
    const own = temporaryFile(Buffer.alloc(0), "own.der");
    const { certificatePath: issuer } = authority;
    output("openssl", "ocsp", "-issuer", issuer, "-cert", ocspOnly.certificatePath, "-no_nonce", "-reqout", own);
    expect(ocspRequest(certificateOf(ocspOnly), certificateOf(authority), null).equals(readFileSync(own))).toBe(true);
  });

  test.each(["-resp_key_id", "-rmd=sha384"])("is told by a responder with %s", async (option) => {
    const options = ["-ndays", "1", ...option.split("=")];
    web.pages.set("/ocsp", (request) => authority.ocsp(request, { options }));
    expect(await found(ocspOnly)).toMatchObject({ crls: 0, ocsps: 1 });
  });

  test("is told by a responder that names certificates by SHA-256", async () => {
    const request = temporaryFile(Buffer.alloc(0), "request.der");
    const files = ["-issuer", authority.certificatePath, "-sha256", "-cert", ocspOnly.certificatePath];
    output("openssl", "ocsp", ...files, "-no_nonce", "-reqout", request);
    web.pages.set("/ocsp", () => authority.ocsp(readFileSync(request)));
    expect(await found(ocspOnly)).toMatchObject({ crls: 0, ocsps: 1 });
  });

  test("is told by a certificate that the issuer gave for that, which then comes along", async () => {
    const responder = delegated("Responder", [...extensions.responder, extensions.noCheck]);
    expect(await found(ocspOnly)).toEqual({ certificates: [hash(responder)], crls: 0, ocsps: 1 });
  });

  test("is told by a delegated responder whose own status is in a revocation list, which comes along", async () => {
    const responder = delegated("Listed Responder", [...extensions.responder, extensions.crlAt(`${web.url}/crl`)]);
    expect(await found(ocspOnly)).toEqual({ certificates: [hash(responder)], crls: 1, ocsps: 1 });
    authority.revoke("Listed Responder");
    await expect(asked(ocspOnly)).rejects.toThrow("the responder's certificate is revoked");
  });

  test("is told by a delegated responder for which the issuer answers itself", async () => {
    const lines = [...extensions.responder, extensions.ocspAt(`${web.url}/ca-ocsp`)];
    const responder = delegated("Vouched Responder", lines);
    web.pages.set("/ca-ocsp", (request) => authority.ocsp(request));
    expect(await found(ocspOnly)).toEqual({ certificates: [hash(responder)], crls: 0, ocsps: 2 });
  });

  test("is not told by a responder that vouches for itself", async () => {
    delegated("Vain Responder", [...extensions.responder, extensions.ocspAt(`${web.url}/ocsp`)]);
    await expect(asked(ocspOnly)).rejects.toThrow("responders vouch for each other");
  });

  test.each([
    ["whose status nobody tells", [...extensions.responder], 365, "names neither"],
    ["that is not for OCSP", [...extensions.seal, extensions.noCheck], 365, "not signed as it must"],
    ["that has expired", [...extensions.responder, extensions.noCheck], -1, "not signed as it must"],
  ] as const)("is not told by a certificate of the issuer %s", async (name, lines, days, why) => {
    delegated(`Responder ${name.replaceAll(" ", "-")}`, lines, days);
    await expect(asked(ocspOnly)).rejects.toThrow(why);
  });

  test("is not told by a responder of another authority", async () => {
    delegated("Foreign Responder", [...extensions.responder, extensions.noCheck], 365, stranger);
    await expect(asked(ocspOnly)).rejects.toThrow("not signed as it must");
    web.pages.set("/ocsp", (request) => authority.ocsp(request, { responder: stranger }));
    await expect(asked(ocspOnly)).rejects.toThrow("not signed as it must");
  });

  test("is not told by a delegated responder that keeps its certificate to itself, or signs over SHA-1", async () => {
    const responder = delegated("Shy Responder", [...extensions.responder, extensions.noCheck]);
    for (const option of [["-resp_no_certs"], ["-rmd", "sha1"]]) {
      const options = ["-ndays", "1", ...option];
      web.pages.set("/ocsp", (request) => authority.ocsp(request, { responder, options }));
      await expect(asked(ocspOnly)).rejects.toThrow("not signed as it must");
    }
  });

  test("revoked is an answer over SHA-1 too", async () => {
    authority.revoke("OCSP only");
    web.pages.set("/ocsp", (request) => authority.ocsp(request, { options: ["-ndays", "1", "-rmd", "sha1"] }));
    expect(await asked(ocspOnly)).toBe("revoked");
  });

  test("revoked is an answer: nobody else is asked", async () => {
    authority.revoke("OCSP and CRL");
    web.pages.set("/crl", () => stranger.crl());
    expect(await asked(both)).toBe("revoked");
    expect(web.requests).toEqual(["/ocsp"]);
  });

  test.each([
    ["an unknown certificate", "does not know the certificate"],
    ["an error", "answered 503"],
    ["garbage", "OCSP: "],
    ["an empty body", "the encoding ends early"],
    ["a refusal", "the responder refused (try later)"],
    ["more than a response can be", "larger than 100000 bytes"],
    ["the answer about another certificate", "about another certificate"],
    ["the answer to another request", "answers another request"],
    ["a response that was changed", "not signed as it must"],
  ])("%s is no answer, three times over", async (what, why) => {
    const other = ocspRequest(certificateOf(both), certificateOf(authority), null);
    const foreign = ocspRequest(certificateOf(ocspOnly), certificateOf(authority), Buffer.alloc(32, 1));
    const bodies: Record<string, (request: Buffer) => Buffer | { status: number; body: Buffer }> = {
      "an error": () => ({ status: 503, body: Buffer.from("busy") }),
      garbage: () => Buffer.from("<html>Welcome to our Wi-Fi</html>"),
      "an empty body": () => Buffer.alloc(0),
      "a refusal": () => Buffer.from("30030a0103", "hex"),
      "more than a response can be": () => Buffer.alloc(10_000_000, 0x30),
      "the answer about another certificate": () => authority.ocsp(other),
      "the answer to another request": () => authority.ocsp(foreign),
      "a response that was changed": (request) => authority.ocsp(request, { options: ["-badsig", "-ndays", "1"] }),
    };
    if (what === "an unknown certificate") authority.makeUnknown("OCSP only");
    web.pages.set("/ocsp", bodies[what] ?? ((request) => authority.ocsp(request)));
    await expect(asked(ocspOnly)).rejects.toThrow(why);
    expect(web.requests).toEqual(["/ocsp", "/ocsp", "/ocsp"]);
  });

  test("a responder that takes too long is given up, and asked again", async () => {
    const clock = overdue();
    web.pages.set("/ocsp", () => {
      clock.runOut();
      return new Promise(() => undefined);
    });
    await expect(asked(ocspOnly, { clock })).rejects.toThrow("took more than 10000 ms");
    expect(web.requests).toHaveLength(3);
  });

  test("a responder that fails at first, or takes no nonces, is asked again without one", async () => {
    const nonces: boolean[] = [];
    web.pages.set("/ocsp", (request) => {
      const hasNonce = output("openssl", "ocsp", "-reqin", temporaryFile(request), "-req_text").includes("Nonce");
      nonces.push(hasNonce);
      return hasNonce ? Buffer.from("30030a0101", "hex") : authority.ocsp(request);
    });
    expect(await found(ocspOnly)).toMatchObject({ crls: 0, ocsps: 1 });
    expect(nonces).toEqual([true, false]);
  });

  test("an answer without the nonce, out of a cache, is taken", async () => {
    const cached = authority.ocsp(ocspRequest(certificateOf(ocspOnly), certificateOf(authority), null));
    web.pages.set("/ocsp", () => cached);
    expect(await found(ocspOnly)).toMatchObject({ crls: 0, ocsps: 1 });
    expect(web.requests).toHaveLength(1);
  });

  test.each([
    ["before it was given", ["-ndays", "1"], -HOUR_MS, "of the future"],
    ["after it has lapsed", ["-ndays", "1"], 25 * HOUR_MS, "out of date"],
    ["half an hour after it was given for the moment", [], HOUR_MS, "out of date"],
  ] as const)("an answer counts for nothing %s", async (_when, options, aheadMs, why) => {
    web.pages.set("/ocsp", (request) => authority.ocsp(request, { options }));
    await expect(asked(ocspOnly, { clock: impatient(aheadMs) })).rejects.toThrow(why);
    expect(await found(ocspOnly)).toMatchObject({ crls: 0, ocsps: 1 });
  });

  test("OCSP is preferred; the revocation list takes its place where it fails", async () => {
    expect(await found(both)).toMatchObject({ crls: 0, ocsps: 1 });
    expect(web.requests).toEqual(["/ocsp"]);
    authority.makeUnknown("OCSP and CRL");
    expect(await found(both)).toMatchObject({ crls: 1, ocsps: 0 });
    web.pages.delete("/ocsp");
    expect(await found(both)).toMatchObject({ crls: 1, ocsps: 0 });
  });

  test("a revocation list counts that is the issuer's and current, and what it says", async () => {
    web.pages.delete("/ocsp");
    web.pages.set("/crl", () => stranger.crl());
    await expect(asked(both)).rejects.toThrow("CRL: the list is not signed by the issuer");
    web.pages.set("/crl", () => authority.crl(1));
    await expect(asked(both, { clock: impatient(25 * HOUR_MS) })).rejects.toThrow("CRL: what it says is out of date");
    authority.revoke("OCSP and CRL");
    expect(await asked(both)).toBe("revoked");
  });

  test.each([
    ["for other kinds of certificates", "onlyCA=TRUE", "can't be relied on"],
    ["for attribute certificates", "onlyAA=TRUE", "can't be relied on"],
    ["of other issuers too", "indirectCRL=TRUE", "can't be relied on"],
    ["for some reasons alone", "onlysomereasons=keyCompromise", "can't be relied on"],
    ["that is published elsewhere", "fullname=URI:http://127.0.0.1/other.crl", "can't be relied on"],
    ["for its kind of certificates", "onlyuser=TRUE", null],
    ["that is published where the certificate says", "fullname=URI:$url/crl", null],
  ])("silence of a revocation list %s", async (_which, scope, why) => {
    web.pages.delete("/ocsp");
    const lines = ["issuingDistributionPoint=critical,@scope", "[scope]", scope.replace("$url", web.url)];
    web.pages.set("/crl", () => authority.crl(30, lines));
    if (why === null) expect(await found(both)).toMatchObject({ crls: 1, ocsps: 0 });
    else await expect(asked(both)).rejects.toThrow(why);
  });

  test("a revocation list of changes alone is none", async () => {
    web.pages.delete("/ocsp");
    web.pages.set("/crl", () => authority.crl(30, ["2.5.29.27=critical,ASN1:INTEGER:1"]));
    await expect(asked(both)).rejects.toThrow("can't be relied on");
  });

  /** A response of the authority whose data was changed before it was signed. */
  const changed = (request: Buffer, change: (fields: Buffer[]) => Buffer[]): Buffer => {
    const { signed, algorithm } = readOcspResponse(authority.ocsp(request));
    const fields = childrenOf(readDer(signed)).map(({ encoded }) => Buffer.from(encoded));
    const data = sequence(...change(fields));
    const signature = sign("sha256", data, readFileSync(authority.keyPath));
    return encodeOcspResponse({ signed: data, algorithm, signature }, null);
  };
  const extension = (critical: number) =>
    sequence(objectIdentifier("1.2.3.4"), der(tag.boolean, Buffer.from([critical])), der(tag.octetString));
  const further = (critical: number) => der(tag.constructed(1), sequence(extension(critical)));

  test("a response that says more than can be understood, or says it in another encoding, is none", async () => {
    web.pages.set("/ocsp", (request) => changed(request, (fields) => fields));
    expect(await found(ocspOnly)).toMatchObject({ ocsps: 1 });
    web.pages.set("/ocsp", (request) => changed(request, ([id, at, list]) => [id, at, list, further(0xff)].map(whole)));
    await expect(asked(ocspOnly)).rejects.toThrow("unknown critical extension");
    const single = (list: Buffer | undefined) => {
      const [answer] = childrenOf(readDer(whole(list)));
      return sequence(sequence(answer?.content ?? Buffer.alloc(0), further(0xff)));
    };
    web.pages.set("/ocsp", (request) => changed(request, ([id, at, list]) => [id, at, single(list)].map(whole)));
    await expect(asked(ocspOnly)).rejects.toThrow("unknown critical extension");
    web.pages.set("/ocsp", (request) => changed(request, ([id, at, list]) => [id, at, list, further(1)].map(whole)));
    await expect(asked(ocspOnly)).rejects.toThrow("a boolean is not canonical");
  });

  /** The bits of bytes that can be flipped without notice. */
  const freeBitsOf = (bytes: Buffer, certificates: readonly Uint8Array[], step: number): number[] => {
    const holds = () => {
      try {
        return isVouchedFor(bytes, certificates);
      } catch {
        return false;
      }
    };
    expect(holds()).toBe(true);
    const free: number[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit += step) {
      const [byte, mask] = [bit >> 3, 1 << (bit & 7)];
      bytes[byte] = (bytes[byte] ?? 0) ^ mask;
      if (holds()) free.push(bit);
      bytes[byte] = (bytes[byte] ?? 0) ^ mask;
    }
    return free;
  };

  test("no bit of what is embedded is free", async () => {
    expect(freeBitsOf(await embedded(ocspOnly), [certificateOf(authority)], 1)).toEqual([]);
    const responder = delegated("Sealed Responder", [...extensions.responder, extensions.noCheck]);
    // Every ninth bit: one of each byte or so, and each of the eight in turn.
    expect(freeBitsOf(await embedded(ocspOnly), [certificateOf(authority), certificateOf(responder)], 9)).toEqual([]);
  });

  test("what is embedded has one encoding, whatever form its algorithm was sent in", async () => {
    const responder = authority.issue("RSA Responder", [...extensions.responder, extensions.noCheck], 365, "RSA");
    const bare = (request: Buffer) => {
      const { signed, signature, certificates } = readOcspResponse(authority.ocsp(request, { responder }));
      const algorithm = sequence(objectIdentifier(oid.sha256WithRsa));
      const wrapped = der(tag.constructed(0), sequence(...certificates));
      const basic = der(tag.octetString, sequence(signed, algorithm, bitString(signature), wrapped));
      const bytes = der(tag.constructed(0), sequence(objectIdentifier(oid.basicOcspResponse), basic));
      return sequence(der(tag.enumerated, Buffer.from([0])), bytes);
    };
    web.pages.set("/ocsp", bare);
    const certificates = [certificateOf(authority), certificateOf(responder)];
    expect(isVouchedFor(await embedded(ocspOnly), certificates)).toBe(true);
    const request = ocspRequest(certificateOf(ocspOnly), certificateOf(authority), null);
    expect(isVouchedFor(bare(request), certificates)).toBe(false);
  });

  test.each([
    ["of its digest's length", "digest", true],
    ["of another length", "20", false],
  ])("a response signed by RSASSA-PSS with a salt %s", async (_which, salt, isTaken) => {
    const responder = authority.issue(`PSS ${salt}`, [...extensions.responder, extensions.noCheck], 365, "RSA");
    const padding = ["-rsigopt", "rsa_padding_mode:pss", "-rsigopt", `rsa_pss_saltlen:${salt}`];
    const options = ["-ndays", "1", "-rmd", "sha256", ...padding];
    web.pages.set("/ocsp", (request) => authority.ocsp(request, { responder, options }));
    if (!isTaken) return expect(asked(ocspOnly)).rejects.toThrow("parameters of a rare form");
    expect(freeBitsOf(await embedded(ocspOnly), [authority, responder].map(certificateOf), 3)).toEqual([]);
  });

  test("what came along unsigned is not embedded", async () => {
    const other = stranger.issue("Passer-by", extensions.seal);
    const options = ["-ndays", "1", "-rother", other.certificatePath];
    const answers: Buffer[] = [];
    web.pages.set("/ocsp", (request) => {
      const answer = authority.ocsp(request, { options });
      answers.push(answer);
      return answer;
    });
    const response = readOcspResponse(await embedded(ocspOnly));
    expect(readOcspResponse(answers[0] ?? Buffer.alloc(0)).certificates).not.toEqual([]);
    expect(response.certificates).toEqual([]);
  });
});
