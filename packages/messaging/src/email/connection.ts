import { type Clock, WAIT_ENDED } from "@rubrica/runtime";
import SMTPConnection from "nodemailer/lib/smtp-connection";

/** For each step that a server may be slow with. */
const STEP_TIMEOUT_MS = 15_000;
/** For the whole message. */
const TIMEOUT_MS = 60_000;
const MAX_RESPONSE_BYTES = 65_536;

/** Where messages are given to a mail server, and as whom. */
export interface SmtpServer {
  host: string;
  port: number;
  /**
   * `implicit`: TLS from the first byte (RFC 8314); `starttls`: nothing is said before STARTTLS succeeded; `none`: in clear
   * text, which is for a server on this machine.
   */
  tls: "implicit" | "starttls" | "none";
  user: { name: string; password: string } | undefined;
  /** PEM of authorities that are trusted beside the system's. */
  ca?: string | undefined;
}

/** A message in the form of RFC 5322, with whom it goes from and to. */
export interface Mail {
  from: string;
  to: string;
  message: Buffer;
}

const connectionTo = ({ host, port, tls, ca }: SmtpServer, from: string): SMTPConnection =>
  new SMTPConnection({
    host,
    port,
    secure: tls === "implicit",
    requireTLS: tls === "starttls",
    ignoreTLS: tls === "none",
    // What it says it is named: the domain that the mail is from.
    name: from.slice(from.lastIndexOf("@") + 1),
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    socketTimeout: STEP_TIMEOUT_MS,
    dnsTimeout: STEP_TIMEOUT_MS,
    maxResponseSize: MAX_RESPONSE_BYTES,
    tls: { minVersion: "TLSv1.2", ...(ca === undefined ? {} : { ca }) },
  });

/** One after the other: the connection, who we are, the message. */
const conversation = async (
  connection: SMTPConnection,
  { user }: SmtpServer,
  { from, to, message }: Mail,
): Promise<void> => {
  await new Promise<void>((resolve, reject) => connection.connect((error) => (error ? reject(error) : resolve())));
  if (user) {
    const credentials = { user: user.name, pass: user.password };
    await new Promise<void>((resolve, reject) =>
      connection.login({ credentials }, (error) => (error ? reject(error) : resolve())),
    );
  }
  await new Promise<void>((resolve, reject) =>
    connection.send({ from, to, size: message.length }, message, (error) => (error ? reject(error) : resolve())),
  );
};

/** The server did not come to an end in time. */
export class SmtpTimedOut extends Error {}

/**
 * Gives one message to a mail server, over a connection of its own.
 * @throws what the signal was aborted with. @throws {SmtpTimedOut} @throws {NodemailerError} with the server's reply.
 */
export const deliver = async (server: SmtpServer, mail: Mail, clock: Clock, signal: AbortSignal): Promise<void> => {
  signal.throwIfAborted();
  const connection = connectionTo(server, mail.from);
  const settled = new AbortController();
  const broken = Promise.withResolvers<never>();
  connection.on("error", broken.reject);
  const over = clock
    .wait(TIMEOUT_MS, { signal: AbortSignal.any([settled.signal, signal]), background: true })
    .then(() => {
      if (settled.signal.aborted) return;
      signal.throwIfAborted();
      throw new SmtpTimedOut("the mail server took too long");
    });
  try {
    await Promise.race([conversation(connection, server, mail), broken.promise, over]);
    connection.quit();
  } catch (error) {
    connection.close();
    throw error;
  } finally {
    settled.abort(WAIT_ENDED);
  }
};
