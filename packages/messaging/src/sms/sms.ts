import { createOwnService, type OwnServiceOptions } from "@rubrica/outbound";
import { forgetMessage, postMessage } from "../http/adapter.ts";
import type { MessagingProvider, TemplateMessage } from "../port.ts";
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

/** Six parts of a text message at most, in letters that its own alphabet lacks. */
const MAX_TEXT_LENGTH = 400;

/** The text with the link on a line of its own, its longest value cut where it would be too long. */
const withLink = (template: MessageTemplate, values: readonly string[], link: string): string =>
  `${fittingText(template, values, MAX_TEXT_LENGTH - link.length - 1)}\n${link}`;

const requestSms = (message: TemplateMessage): string => withLink(...requestWithLinkTemplate(message), message.link);

export interface SmsOptions extends OwnServiceOptions {
  /** The id of a message that events may hold: the vendor's own may hold the recipient's phone. */
  idOf(providerMessageId: string): string;
}

/**
 * Text messages, by an adapter to a vendor that speaks docs/sms-provider.md.
 * @throws {RangeError} when the URL or the key cannot be used.
 */
export const createSmsProvider = ({ idOf, ...options }: SmsOptions): MessagingProvider => {
  const adapter = { service: createOwnService(options), clock: options.clock };
  const send = async ({ messageId, to }: { messageId: string; to: string }, text: string, signal: AbortSignal) => {
    const { providerMessageId } = await postMessage(adapter, JSON.stringify({ messageId, to, text }), signal);
    return { providerMessageId: idOf(providerMessageId) };
  };
  return {
    provider: { name: "SMS", simulated: false },
    medium: "sms",
    sendTemplate: (message, signal) => send(message, requestSms(message), signal),
    sendLink: (message, signal) => send(message, withLink(...linkTemplate(message), message.link), signal),
    sendCopy: (message, signal) => send(message, withLink(...copyTemplate(message), message.link), signal),
    sendReminder: (message, signal) =>
      send(message, withLink(...reminderTemplate(message, true), message.link), signal),
    sendNote: (message, signal) =>
      send(message, fittingText(noteTemplate(message), noteValues(message), MAX_TEXT_LENGTH), signal),
    forget: (messageId, signal) => forgetMessage(adapter, messageId, signal),
  };
};
