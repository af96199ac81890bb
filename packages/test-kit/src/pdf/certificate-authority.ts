import { execFileSync } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A certificate with its key, as PEM files. */
export interface Issued {
  certificatePath: string;
  keyPath: string;
}

/** How an OCSP response is made. */
export interface OcspOptions {
  /** Who signs; the authority itself when it is not given. */
  responder?: Issued;
  /** Further options of `openssl ocsp`; by default the response holds for a day. */
  options?: readonly string[];
}

/** Extensions of certificates, as lines of an OpenSSL configuration. */
export const extensions = {
  authority: ["basicConstraints=critical,CA:true", "keyUsage=critical,keyCertSign,cRLSign,digitalSignature"],
  seal: ["basicConstraints=critical,CA:false", "keyUsage=critical,digitalSignature,nonRepudiation"],
  timestamps: [
    "basicConstraints=critical,CA:false",
    "keyUsage=critical,digitalSignature",
    "extendedKeyUsage=critical,timeStamping",
  ],
  responder: [
    "basicConstraints=critical,CA:false",
    "keyUsage=critical,digitalSignature",
    "extendedKeyUsage=OCSPSigning",
  ],
  noCheck: "noCheck=ignored",
  ocspAt: (url: string) => `authorityInfoAccess=OCSP;URI:${url}`,
  crlAt: (url: string) => `crlDistributionPoints=URI:${url}`,
  ocspAndIssuerAt: (ocspUrl: string, issuerUrl: string) =>
    `authorityInfoAccess=OCSP;URI:${ocspUrl},caIssuers;URI:${issuerUrl}`,
} as const;

const identifiers = ["subjectKeyIdentifier=hash", "authorityKeyIdentifier=keyid"];
const configuration = `
[req]
distinguished_name = name
[name]
[ca]
default_ca = authority
[authority]
database = index.txt
crlnumber = crlnumber
default_md = sha256
default_crl_days = 30
crl_extensions = crl
[crl]
authorityKeyIdentifier = keyid
`;

/** A certificate authority for tests, made with `openssl` in a folder of its own: issues, revokes, and tells of it. */
export class TestAuthority implements Issued {
  readonly #folder: string;
  readonly #name: string;
  readonly #index: { name: string; line: (status: string) => string; status: string; revokedAt: number }[] = [];
  readonly certificatePath: string;
  readonly keyPath: string;

  constructor(folder: string, name: string, issuer?: TestAuthority, extra: readonly string[] = []) {
    this.#folder = join(folder, name.replaceAll(" ", "-"));
    this.#name = name;
    mkdirSync(this.#folder, { recursive: true });
    this.#write("openssl.cnf", configuration);
    this.#write("crlnumber", "01\n");
    this.#write("index.txt", "");
    const own = issuer?.issue(name, [...extensions.authority, ...extra]) ?? this.#selfSigned();
    this.certificatePath = own.certificatePath;
    this.keyPath = own.keyPath;
  }

  /** DER of its certificate. */
  get certificate(): Buffer {
    return new X509Certificate(readFileSync(this.certificatePath)).raw;
  }

  /**
   * Issues a certificate with the given lines of extensions.
   * @param days until it expires; negative: it has expired
   */
  issue(name: string, lines: readonly string[], days = 365, key: "EC" | "RSA" = "EC"): Issued {
    const serial = createHash("sha256").update(name).digest("hex").slice(0, 16).toUpperCase().replace(/^./, "4");
    const paths = this.#pathsOf(name);
    this.#write("extensions.cnf", [...identifiers, ...lines].join("\n"));
    this.#openssl("req", "-new", ...this.#newKey(paths.keyPath, key), "-subj", `/CN=${name}`, "-out", "new.csr");
    const issuer = ["-CA", this.certificatePath, "-CAkey", this.keyPath, "-set_serial", `0x${serial}`];
    const out = ["-extfile", "extensions.cnf", "-days", String(days), "-out", paths.certificatePath];
    this.#openssl("x509", "-req", "-in", "new.csr", ...issuer, ...out);
    this.#index.push({
      name,
      status: "V",
      revokedAt: 0,
      line: (status) => `${status}\t${serial}\tunknown\t/CN=${name}`,
    });
    this.#writeIndex();
    return paths;
  }

  /** @param since milliseconds since the UNIX epoch; the start of 2020 */
  revoke(name: string, since = Date.UTC(2020, 0, 1)): void {
    for (const entry of this.#index) if (entry.name === name) entry.revokedAt = since;
    this.#mark(name, "R");
  }

  /** Makes it unknown whether a certificate was ever issued. */
  makeUnknown(name: string): void {
    this.#mark(name, "");
  }

  restore(name: string): void {
    this.#mark(name, "V");
  }

  /** A revocation list of now, in DER, with further lines of extensions. */
  crl(days = 30, lines: readonly string[] = []): Buffer {
    this.#write("openssl.cnf", [configuration, ...lines, ""].join("\n"));
    const keys = ["-keyfile", this.keyPath, "-cert", this.certificatePath, "-crldays", String(days)];
    this.#openssl("ca", "-gencrl", "-config", "openssl.cnf", ...keys, "-out", "crl.pem");
    this.#openssl("crl", "-in", "crl.pem", "-outform", "DER", "-out", "crl.der");
    return readFileSync(join(this.#folder, "crl.der"));
  }

  /** Answers an OCSP request. */
  ocsp(request: Buffer, { responder = this, options = ["-ndays", "1"] }: OcspOptions = {}): Buffer {
    this.#write("request.der", request);
    const signer = ["-rsigner", responder.certificatePath, "-rkey", responder.keyPath];
    const files = ["-index", "index.txt", "-CA", this.certificatePath, "-reqin", "request.der"];
    this.#openssl("ocsp", ...files, ...signer, ...options, "-respout", "response.der");
    return readFileSync(join(this.#folder, "response.der"));
  }

  #selfSigned(): Issued {
    const paths = this.#pathsOf(this.#name);
    const lines = [...extensions.authority, "subjectKeyIdentifier=hash"].flatMap((line) => ["-addext", line]);
    const out = ["-subj", `/CN=${this.#name}`, "-days", "3650", "-out", paths.certificatePath];
    this.#openssl("req", "-x509", "-config", "openssl.cnf", ...this.#newKey(paths.keyPath), ...lines, ...out);
    return paths;
  }

  #pathsOf(name: string): Issued {
    const base = join(this.#folder, name.replaceAll(" ", "-"));
    return { certificatePath: `${base}.pem`, keyPath: `${base}.key` };
  }

  #newKey(path: string, key: "EC" | "RSA" = "EC"): string[] {
    const kind = key === "RSA" ? ["rsa:2048"] : ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
    return ["-newkey", ...kind, "-nodes", "-keyout", path];
  }

  #mark(name: string, status: string): void {
    for (const entry of this.#index) if (entry.name === name) entry.status = status;
    this.#writeIndex();
  }

  #writeIndex(): void {
    const since = (at: number) => `${new Date(at).toISOString().replace(/\D/g, "").slice(2, 14)}Z`;
    const times = (status: string, at: number) => `${status}\t491231235959Z\t${status === "R" ? since(at) : ""}`;
    const listed = this.#index.filter(({ status }) => status !== "");
    this.#write(
      "index.txt",
      listed.map(({ status, revokedAt, line }) => `${line(times(status, revokedAt))}\n`).join(""),
    );
  }

  #write(name: string, content: string | Buffer): void {
    writeFileSync(join(this.#folder, name), content);
  }

  #openssl(...args: string[]): void {
    execFileSync("openssl", args, { cwd: this.#folder, stdio: ["ignore", "pipe", "pipe"] });
  }
}
