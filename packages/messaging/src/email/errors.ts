import { MessagingError } from "../port.ts";

/** What is known of a message that a mail server did not take: nodemailer's code, the command, the server's reply. */
interface SmtpFailure {
  code?: unknown;
  /** The system's, or OpenSSL's. */
  originalCode?: unknown;
  command?: unknown;
  responseCode?: unknown;
  response?: unknown;
}

const later = (reason: string): MessagingError => new MessagingError(reason, false);
const forGood = (reason: string): MessagingError => new MessagingError(reason, true);

/** Enhanced status codes of security and policy (RFC 3463, X.7.X). */
const isPolicy = (response: unknown): boolean => typeof response === "string" && /^\d{3}[ -]5\.7\.\d/.test(response);

/** Node's words for a certificate that nobody vouches for, or that is another host's. */
const isUntrusted = (code: unknown): boolean => typeof code === "string" && /CERT|_TLS_|SSL/.test(code);

/** What nodemailer's codes mean where the server gave no reply. */
const WITHOUT_REPLY: Readonly<Record<string, MessagingError["reason"]>> = {
  ETIMEDOUT: "provider_timeout",
  EPROTOCOL: "provider_bad_answer",
};

/**
 * What a failure to give a message to a mail server means, by the reply's first digit (RFC 5321, 4.2.1): 4 is tried later.
 * 5 is for good where it is about this address or this message; where it is about who we are (a login, the sender, a
 * policy) the operator can set it right meanwhile. The reply's words may hold the address, and go nowhere.
 * docs/operations.md has the table.
 */
export const smtpRefusal = (error: unknown): MessagingError => {
  const { code, originalCode, command, responseCode: reply, response } = (error ?? {}) as SmtpFailure;
  const step = typeof command === "string" ? command : "";
  if (code === "EAUTH" || code === "ENOAUTH" || step.startsWith("AUTH")) return later("not_authorized");
  if (code === "ETLS" || isUntrusted(originalCode)) return later("provider_tls_failed");
  if (typeof reply !== "number") {
    if (code === "EENVELOPE") return forGood("address_invalid");
    // The server says first how much it takes.
    if (code === "EMESSAGE") return forGood("message_too_large");
    return later((typeof code === "string" && WITHOUT_REPLY[code]) || "provider_unreachable");
  }
  if (reply < 500) return later(step === "RCPT TO" ? "mailbox_busy" : "provider_busy");
  if (step !== "RCPT TO" && step !== "DATA") return later(step === "MAIL FROM" ? "sender_refused" : "provider_refused");
  if (isPolicy(response) || reply === 530) return later("refused_by_policy");
  return forGood(step === "RCPT TO" ? "mailbox_unknown" : "message_refused");
};
