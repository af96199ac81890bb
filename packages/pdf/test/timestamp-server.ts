import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** A timestamp authority for tests: `openssl ts` behind HTTP, with a root and a revocation list of its own. */
export interface TimestampServer {
  url: string;
  /** PEM of the root that its certificate chains to. */
  rootPath: string;
  /** How many requests came. */
  requests: number;
  /** Answers the next requests with these, before it works again. */
  answerNext(...answers: { status: number; body: Buffer }[]): void;
  /** Whether the revocation list is to be had. */
  publishes: boolean;
  close(): Promise<void>;
}

const configuration = (url: string) => `
[req]
distinguished_name = name
[name]
[root]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[tsa]
basicConstraints = CA:false
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
crlDistributionPoints = URI:${url}/tsa.crl
[ca]
default_ca = authority
[authority]
database = index.txt
crlnumber = crlnumber
default_md = sha256
default_crl_days = 30
[tsa_config]
serial = serial
default_policy = 1.2.3.4.1
digests = sha256
signer_digest = sha256
accuracy = secs:1
ordering = no
tsa_name = no
ess_cert_id_chain = no
ess_cert_id_alg = sha256
`;

/** Starts one in a folder, on a free port of the loopback. */
export async function startTimestampServer(folder: string): Promise<TimestampServer> {
  const openssl = (...args: string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const answers: { status: number; body: Buffer }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.url === "/tsa.crl") {
        response
          .writeHead(state.publishes ? 200 : 404)
          .end(state.publishes ? readFileSync(join(folder, "tsa.crl")) : "");
        return;
      }
      state.requests += 1;
      const prepared = answers.shift();
      if (prepared !== undefined) {
        response.writeHead(prepared.status).end(prepared.body);
        return;
      }
      writeFileSync(join(folder, "query.tsq"), Buffer.concat(chunks));
      openssl(
        "ts",
        "-reply",
        "-config",
        "tsa.cnf",
        "-section",
        "tsa_config",
        "-queryfile",
        "query.tsq",
        "-signer",
        "tsa.pem",
        "-inkey",
        "tsa.key",
        "-chain",
        "root.pem",
        "-out",
        "reply.tsr",
      );
      response
        .writeHead(200, { "content-type": "application/timestamp-reply" })
        .end(readFileSync(join(folder, "reply.tsr")));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(join(folder, "tsa.cnf"), configuration(url));
  for (const [name, content] of [
    ["index.txt", ""],
    ["crlnumber", "01\n"],
    ["serial", "01\n"],
  ] as const) {
    writeFileSync(join(folder, name), content);
  }
  openssl(
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-keyout",
    "root.key",
    "-out",
    "root.pem",
    "-subj",
    "/CN=Test TSA Root",
    "-days",
    "3650",
    "-config",
    "tsa.cnf",
    "-extensions",
    "root",
  );
  openssl(
    "req",
    "-new",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-keyout",
    "tsa.key",
    "-out",
    "tsa.csr",
    "-subj",
    "/CN=Test TSA",
    "-config",
    "tsa.cnf",
  );
  openssl(
    "x509",
    "-req",
    "-in",
    "tsa.csr",
    "-CA",
    "root.pem",
    "-CAkey",
    "root.key",
    "-out",
    "tsa.pem",
    "-days",
    "3650",
    "-extfile",
    "tsa.cnf",
    "-extensions",
    "tsa",
  );
  openssl("ca", "-gencrl", "-config", "tsa.cnf", "-keyfile", "root.key", "-cert", "root.pem", "-out", "crl.pem");
  openssl("crl", "-in", "crl.pem", "-outform", "DER", "-out", "tsa.crl");
  const state: TimestampServer = {
    url,
    rootPath: join(folder, "root.pem"),
    requests: 0,
    answerNext: (...next) => answers.push(...next),
    publishes: true,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return state;
}
