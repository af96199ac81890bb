import { generateKeyPairSync } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { systemClock } from "@rubrica/runtime";
import forge from "node-forge";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { eventually } from "../polling.ts";
import { listeningPort } from "../ports.ts";
import { type Letter, readLetter } from "./letter.ts";

const DAY_MS = 86_400_000;

/** A message that the server took. */
export interface TakenLetter extends Letter {
  /** Whom the envelope names. */
  sender: string;
  recipients: readonly string[];
  /** Whether it came by TLS, and who logged in. */
  secure: boolean;
  user: string | undefined;
}

/** What the server says instead of taking it, at which step. */
export interface SmtpRefusal {
  at: "connect" | "sender" | "recipient" | "message";
  /** As `550 5.1.1 unknown`. */
  reply: string;
}

export interface MailServerOptions {
  /** `none` (default): clear text alone. */
  tls?: "none" | "starttls" | "implicit";
  user?: { name: string; password: string };
}

/** A mail server on the loopback, and all that it took. */
export interface MailServer extends AsyncDisposable {
  port: number;
  /** PEM of who vouches for its certificate; undefined without TLS. */
  ca: string | undefined;
  taken: readonly TakenLetter[];
  /** How the next messages go. */
  next(...refusals: SmtpRefusal[]): void;
  /** From now on it takes messages and never says so. */
  fallSilent(): void;
  /** The first message to the address that fits, as soon as it was taken. */
  letterTo(address: string, fits?: (letter: TakenLetter) => boolean): Promise<TakenLetter>;
}

/** smtp-server writes the reply's code itself, and the text after it. */
const replied = (reply: string): Error =>
  Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) });

/** A certificate for the loopback that vouches for itself, for some days around now. */
const certificateOf = (): { key: string; cert: string } => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
  certificate.serialNumber = "01";
  certificate.validity.notBefore = new Date(systemClock.now() - DAY_MS);
  certificate.validity.notAfter = new Date(systemClock.now() + DAY_MS);
  const name = [{ name: "commonName", value: "localhost" }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  const names = [
    { type: 2, value: "localhost" },
    { type: 7, ip: "127.0.0.1" },
  ];
  certificate.setExtensions([
    { name: "basicConstraints", cA: true },
    { name: "subjectAltName", altNames: names },
  ]);
  certificate.sign(forge.pki.privateKeyFromPem(privateKey), forge.md.sha256.create());
  return { key: privateKey, cert: forge.pki.certificateToPem(certificate) };
};

/** Starts a mail server that speaks SMTP as the package `smtp-server` does. */
export const startMailServer = async ({ tls = "none", user }: MailServerOptions = {}): Promise<MailServer> => {
  const taken: TakenLetter[] = [];
  const refusals: SmtpRefusal[] = [];
  let silent = false;
  const refusalAt = (step: SmtpRefusal["at"]): Error | undefined => {
    if (refusals[0]?.at !== step) return undefined;
    const [refusal] = refusals.splice(0, 1);
    return refusal && replied(refusal.reply);
  };
  const certificate = tls === "none" ? undefined : certificateOf();
  const options: SMTPServerOptions = {
    ...certificate,
    secure: tls === "implicit",
    disabledCommands: tls === "starttls" ? [] : ["STARTTLS"],
    authOptional: user === undefined,
    allowInsecureAuth: false,
    logger: false,
    size: 65_536,
    onConnect: (_session, done) => done(refusalAt("connect")),
    onAuth: ({ username, password }, _session, done) =>
      username === user?.name && password === user?.password
        ? done(null, { user: username })
        : done(replied("535 5.7.8 bad credentials")),
    onMailFrom: (_address, _session, done) => done(refusalAt("sender")),
    onRcptTo: (_address, _session, done) => done(refusalAt("recipient")),
    onData: (stream, session, done) => {
      void buffer(stream).then((bytes) => {
        const refusal = refusalAt("message");
        if (refusal) return done(refusal);
        const { mailFrom, rcptTo } = session.envelope;
        taken.push({
          ...readLetter(bytes.toString("utf8")),
          sender: mailFrom === false ? "" : mailFrom.address,
          recipients: rcptTo.map(({ address }) => address),
          secure: session.secure,
          user: typeof session.user === "string" ? session.user : undefined,
        });
        if (!silent) done();
      });
    },
  };
  const server = new SMTPServer(options);
  // Who hangs up in the middle is no fault of the server's.
  server.on("error", () => undefined);
  const listener = server.listen(0, "127.0.0.1");
  const port = await listeningPort(listener);
  return {
    port,
    ca: certificate?.cert,
    taken,
    next: (...more) => void refusals.push(...more),
    fallSilent() {
      silent = true;
    },
    letterTo: (to, fits = () => true) =>
      eventually(`a letter to ${to}`, () => taken.find((letter) => letter.recipients.includes(to) && fits(letter))),
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
};
