import type { Clock, Ids } from "@rubrica/runtime";
import MailComposer from "nodemailer/lib/mail-composer";
import {
  type LinkMessage,
  MessagingError,
  type MessagingProvider,
  type NoteKind,
  type NoteMessage,
  type ReminderMessage,
  type Sent,
  type TemplateMessage,
} from "../port.ts";
import {
  copyTemplate,
  fittingText,
  linkTemplate,
  type MessageTemplate,
  noteTemplate,
  noteValues,
  reminderTemplate,
  requestWithLinkTemplate,
} from "../texts.ts";
import { deliver, type SmtpServer, SmtpTimedOut } from "./connection.ts";
import { smtpRefusal } from "./errors.ts";

export type { SmtpServer } from "./connection.ts";

const MAX_SUBJECT_LENGTH = 200;
/** A campaign's own words may be long. */
const MAX_TEXT_LENGTH = 20_000;

/** Values: the business, the document. */
const REQUEST_SUBJECT: MessageTemplate = { body: "{{1}} le pide que firme «{{2}}»" };
/** Value: the document. */
const LINK_SUBJECT: MessageTemplate = { body: "Su enlace para firmar «{{1}}»" };

/** Value: the document. */
const COPY_SUBJECT: MessageTemplate = { body: "Su copia firmada de «{{1}}»" };

/** Values: the business, the document. */
const NOTE_SUBJECTS: Readonly<Record<NoteKind, MessageTemplate>> = {
  cancellation: { body: "{{1}} canceló «{{2}}»" },
  refusal: { body: "{{1}} espera su firma en «{{2}}»" },
};

/** What a person reads. */
interface MailText {
  subject: string;
  text: string;
}

const letter = (
  subject: readonly [MessageTemplate, readonly string[]],
  text: readonly [MessageTemplate, readonly string[]],
  link: string | null,
): MailText => ({
  subject: fittingText(...subject, MAX_SUBJECT_LENGTH),
  text: `${fittingText(...text, MAX_TEXT_LENGTH)}\n${link === null ? "" : `\n${link}\n`}`,
});

const requestMail = (message: TemplateMessage): MailText => {
  const [template, values] = requestWithLinkTemplate(message);
  return letter([REQUEST_SUBJECT, values.slice(1)], [template, values], message.link);
};

const linkMail = (
  subject: MessageTemplate,
  [text, values]: [MessageTemplate, string[]],
  { link }: LinkMessage,
): MailText => letter([subject, values.slice(1)], [text, values], link);

const reminderMail = (message: ReminderMessage): MailText => {
  const [template, values] = reminderTemplate(message, true);
  return letter([NOTE_SUBJECTS.refusal, values.slice(1)], [template, values], message.link);
};

const noteMail = (message: NoteMessage): MailText => {
  const values = noteValues(message);
  return letter([NOTE_SUBJECTS[message.kind], values.slice(1)], [noteTemplate(message), values], null);
};

export interface EmailOptions {
  server: SmtpServer;
  /** `name` is shown; null: the address is. */
  from: { name: string | null; address: string };
  clock: Clock;
  ids: Ids;
}

/**
 * E-mail, given to a mail server by SMTP (RFC 5321). A message that is sent again has the same `Message-ID`, by which
 * mailboxes tell repeats. Nothing comes back: what a server gives up later, it tells the sender's mailbox.
 */
export const createEmailProvider = ({ server, from, clock, ids }: EmailOptions): MessagingProvider => {
  const send = async (
    { messageId, to }: { messageId: string; to: string },
    { subject, text }: MailText,
    signal: AbortSignal,
  ): Promise<Sent> => {
    const message = await new MailComposer({
      // As an object, an address is not looked at for more of them; what names hold is encoded, never a line of its own.
      from: { name: from.name ?? "", address: from.address },
      to: { name: "", address: to },
      subject,
      text,
      date: new Date(clock.now()),
      messageId: messageIdHeader(messageId, from.address),
      // No vacation answers (RFC 3834).
      headers: { "Auto-Submitted": "auto-generated" },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
      .compile()
      .build();
    try {
      await deliver(server, { from: from.address, to, message }, clock, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof SmtpTimedOut ? new MessagingError("provider_timeout", false) : smtpRefusal(error);
    }
    return { providerMessageId: `email.${ids.uuidv7()}` };
  };
  return {
    provider: { name: "E-mail (SMTP)", simulated: false },
    medium: "email",
    sendTemplate: (message, signal) => send(message, requestMail(message), signal),
    sendLink: (message, signal) => send(message, linkMail(LINK_SUBJECT, linkTemplate(message), message), signal),
    sendCopy: (message, signal) => send(message, linkMail(COPY_SUBJECT, copyTemplate(message), message), signal),
    sendReminder: (message, signal) => send(message, reminderMail(message), signal),
    sendNote: (message, signal) => send(message, noteMail(message), signal),
  };
};

/** The service's own id, in the letters that such ids have. */
const messageIdHeader = (messageId: string, sender: string): string =>
  `<${messageId.replace(/[^A-Za-z0-9-]/g, ".")}@${sender.slice(sender.lastIndexOf("@") + 1)}>`;
