import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { extensions, type Issued, TestAuthority } from "./certificate-authority.ts";
import { type Answer, startWebServer, type WebServer } from "./web-server.ts";

/** A timestamp authority for tests: `openssl ts` behind HTTP, with a root and a revocation list of its own. */
export interface TimestampServer {
  url: string;
  /** PEM of the root that its certificate chains to. */
  rootPath: string;
  /** Who issued its certificate, `Test TSA`. */
  authority: TestAuthority;
  signer: Issued;
  /** Its pages: `/` for timestamps, `/crl` and `/ocsp` of the authority. */
  web: WebServer;
  /** How many requests for timestamps came. */
  requests: number;
  /** Answers the next requests with these, before it works again. */
  answerNext(...answers: { status: number; body: Buffer }[]): void;
  /** Whether the revocation list and the status are to be had. */
  publishes: boolean;
  /** What is answered to a query, in its stead. */
  answer(query: Buffer): Answer | Promise<Answer>;
  /** Answers a query as a timestamp authority does, with further options of `openssl ts`. */
  timestamp(query: Buffer, options?: readonly string[]): Buffer;
  close(): Promise<void>;
}

export interface TimestampServerOptions {
  /** Where its certificate says that its status is told. */
  revocation?: "crl" | "ocsp" | "both" | "nowhere";
  /** Whether an authority stands between the root and the one that issues its certificate. */
  hasIntermediate?: boolean;
  /** What its authority is called, before `Root` (`Test TSA`). */
  name?: string;
  /** Until its certificate expires; negative: it has. */
  validDays?: number;
}

const configuration = `
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

/** What `openssl ts` answers to a query, by the files that stand in the folder. */
const reply = (folder: string, signer: Issued, query: Buffer, extra: readonly string[]): Buffer => {
  writeFileSync(join(folder, "query.tsq"), query);
  const files = ["-queryfile", "query.tsq", "-signer", signer.certificatePath, "-inkey", signer.keyPath];
  const of = ["-config", "tsa.cnf", "-section", "tsa_config", "-chain", "chain.pem", "-out", "reply.tsr"];
  execFileSync("openssl", ["ts", "-reply", ...files, ...of, ...extra], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return readFileSync(join(folder, "reply.tsr"));
};

/** Starts one in a folder, on a free port of the loopback. */
export const startTimestampServer = async (
  folder: string,
  { revocation = "crl", hasIntermediate = false, name = "Test TSA", validDays = 365 }: TimestampServerOptions = {},
): Promise<TimestampServer> => {
  const web = await startWebServer();
  const root = new TestAuthority(folder, `${name} Root`);
  const ofRoot = [extensions.crlAt(`${web.url}/root.crl`)];
  const authority = hasIntermediate ? new TestAuthority(folder, "Test TSA Intermediate", root, ofRoot) : root;
  const places = {
    crl: [extensions.crlAt(`${web.url}/crl`)],
    ocsp: [extensions.ocspAt(`${web.url}/ocsp`)],
    both: [extensions.crlAt(`${web.url}/crl`), extensions.ocspAt(`${web.url}/ocsp`)],
    nowhere: [],
  };
  const signer = authority.issue("Test TSA", [...extensions.timestamps, ...places[revocation]], validDays, "RSA");
  writeFileSync(join(folder, "tsa.cnf"), configuration);
  writeFileSync(join(folder, "serial"), "01\n");
  const chain = [authority, ...(hasIntermediate ? [root] : [])].map((each) => readFileSync(each.certificatePath));
  writeFileSync(join(folder, "chain.pem"), Buffer.concat(chain));

  const answers: { status: number; body: Buffer }[] = [];
  const absent = { status: 404, body: Buffer.alloc(0) };
  const state: TimestampServer = {
    url: web.url,
    rootPath: root.certificatePath,
    authority,
    signer,
    web,
    requests: 0,
    answerNext: (...next) => answers.push(...next),
    publishes: true,
    timestamp: (query, extra = []) => reply(folder, signer, query, extra),
    answer: (query) => state.timestamp(query),
    close: () => web.close(),
  };
  web.pages.set("/", (query) => {
    state.requests += 1;
    return answers.shift() ?? state.answer(query);
  });
  web.pages.set("/crl", () => (state.publishes ? authority.crl() : absent));
  web.pages.set("/root.crl", () => (state.publishes ? root.crl() : absent));
  web.pages.set("/ocsp", (request) => (state.publishes ? authority.ocsp(request) : absent));
  return state;
};
