import type { LinkToSend, NoteToSend, ReminderToSend, TemplateMessage } from "../port.ts";
import {
  CANCELED_TEMPLATE,
  copyTemplate,
  copyText,
  fittingValues,
  linkTemplate,
  linkText,
  type MessageTemplate,
  noteText,
  noteValues,
  reminderTemplate,
  reminderText,
  requestTemplate,
} from "../texts.ts";
import { opaqueOf, payloadOf } from "./marks.ts";

/** A template as it was submitted to Meta. */
export interface RegisteredTemplate {
  name: string;
  /** Meta's code: `es`, `es_AR`. */
  language: string;
}

/**
 * The templates that signers are sent: who asks; the same with a campaign's own words; both of a document whose time ends;
 * the link, and until when; the signed copy; a cancellation; reminders, before and after the signer chose to continue, and until when.
 */
export interface WhatsAppTemplates {
  request: RegisteredTemplate;
  requestNote: RegisteredTemplate;
  requestUntil: RegisteredTemplate;
  requestNoteUntil: RegisteredTemplate;
  link: RegisteredTemplate;
  linkUntil: RegisteredTemplate;
  copy: RegisteredTemplate;
  canceled: RegisteredTemplate;
  reminder: RegisteredTemplate;
  reminderUntil: RegisteredTemplate;
  reminderLink: RegisteredTemplate;
  reminderLinkUntil: RegisteredTemplate;
}

/** Of a template's body, and of a text, with their values, as Meta counts them. */
const MAX_BODY_LENGTH = 1_024;

const textParameters = (template: MessageTemplate, values: readonly string[]) => ({
  type: "body",
  parameters: fittingValues(template, values, MAX_BODY_LENGTH).map((text) => ({ type: "text", text })),
});

const envelope = (to: string, messageId: string) => ({
  messaging_product: "whatsapp",
  recipient_type: "individual",
  to,
  biz_opaque_callback_data: opaqueOf(messageId),
});

const templateBody = (
  { to, messageId }: { to: string; messageId: string },
  { name, language }: RegisteredTemplate,
  components: readonly object[],
): object => ({
  ...envelope(to, messageId),
  type: "template",
  template: { name, language: { code: language }, components },
});

const quickReplies = (messageId: string): object[] =>
  (["continue", "no_continue"] as const).map((answer, index) => ({
    type: "button",
    sub_type: "quick_reply",
    index: String(index),
    parameters: [{ type: "payload", payload: payloadOf(answer, messageId) }],
  }));

/** `linkBase`: what all links begin with, as it was submitted. */
const linkButton = (link: string, linkBase: string): object => {
  if (!link.startsWith(linkBase)) throw new RangeError("the link does not begin as the template's button does");
  const parameters = [{ type: "text", text: link.slice(linkBase.length) }];
  return { type: "button", sub_type: "url", index: "0", parameters };
};

/** The body of `POST /{phone number id}/messages` that asks the signer. */
export const requestBody = (message: TemplateMessage, templates: WhatsAppTemplates): object => {
  const { request, requestNote, requestUntil, requestNoteUntil } = templates;
  const [plain, withNote] = message.until === null ? [request, requestNote] : [requestUntil, requestNoteUntil];
  return templateBody(message, message.text === null ? plain : withNote, [
    textParameters(...requestTemplate(message)),
    ...quickReplies(message.messageId),
  ]);
};

/** The body of a reminder: with the quick replies before the signer chose to continue, with the link after it. */
export const reminderBody = (
  message: ReminderToSend,
  templates: WhatsAppTemplates,
  { linkBase, isWindowOpen }: { linkBase: string; isWindowOpen: boolean },
): object => {
  const { hasContinued, until, link } = message;
  const words = textParameters(...reminderTemplate(message, hasContinued));
  if (!hasContinued) {
    const registered = until === null ? templates.reminder : templates.reminderUntil;
    return templateBody(message, registered, [words, ...quickReplies(message.messageId)]);
  }
  if (isWindowOpen) return textBody(message, `${reminderText(message)}\n\n${link}`);
  const registered = until === null ? templates.reminderLink : templates.reminderLinkUntil;
  return templateBody(message, registered, [words, linkButton(link, linkBase)]);
};

const LINK_WORDS = {
  link: { text: linkText, template: linkTemplate },
  copy: { text: copyText, template: copyTemplate },
} as const;

const textBody = ({ to, messageId }: { to: string; messageId: string }, body: string): object => ({
  ...envelope(to, messageId),
  type: "text",
  text: { preview_url: false, body },
});

/** The link as a text, which Meta takes within 24 hours of the signer's last message. */
export const linkTextBody = (kind: "link" | "copy", message: LinkToSend): object =>
  textBody(message, `${LINK_WORDS[kind].text(message)}\n\n${message.link}`);

/** A note as a text, likewise. */
export const noteTextBody = (message: NoteToSend): object => textBody(message, noteText(message));

/** That the document was canceled, as a template. */
export const canceledTemplateBody = (message: NoteToSend, { canceled }: WhatsAppTemplates): object =>
  templateBody(message, canceled, [textParameters(CANCELED_TEMPLATE, noteValues(message))]);

/** The link as the button of a template. `linkBase`: what all links begin with, as it was submitted. */
export const linkTemplateBody = (
  kind: "link" | "copy",
  message: LinkToSend,
  templates: WhatsAppTemplates,
  linkBase: string,
): object => {
  const registered = kind === "link" && message.until !== null ? templates.linkUntil : templates[kind];
  return templateBody(message, registered, [
    textParameters(...LINK_WORDS[kind].template(message)),
    linkButton(message.link, linkBase),
  ]);
};
