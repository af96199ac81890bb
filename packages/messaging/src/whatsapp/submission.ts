import { createOwnService, OutboundFailed } from "@rubrica/outbound";
import type { Clock } from "@rubrica/runtime";
import { z } from "zod";
import {
  ANSWER_LABELS,
  CANCELED_TEMPLATE,
  COPY_LABEL,
  COPY_TEMPLATE,
  LINK_LABEL,
  LINK_TEMPLATE,
  LINK_UNTIL_TEMPLATE,
  type MessageTemplate,
  REMINDER_LINK_TEMPLATE,
  REMINDER_LINK_UNTIL_TEMPLATE,
  REMINDER_TEMPLATE,
  REMINDER_UNTIL_TEMPLATE,
  REQUEST_NOTE_TEMPLATE,
  REQUEST_NOTE_UNTIL_TEMPLATE,
  REQUEST_TEMPLATE,
  REQUEST_UNTIL_TEMPLATE,
} from "../texts.ts";
import type { RegisteredTemplate, WhatsAppTemplates } from "./bodies.ts";

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 65_536;

const EXAMPLE = {
  name: "Ana Paz",
  business: "ACME Homes",
  document: "Lease agreement",
  words: "Firme antes del viernes.",
  until: "31 de enero de 2027 a las 18:00 (GMT-3)",
};

/** A template as `POST /{business account id}/message_templates` takes it. */
export interface TemplateDefinition {
  name: string;
  language: string;
  category: "UTILITY";
  components: readonly object[];
}

const definition = (
  { name, language }: RegisteredTemplate,
  { body }: MessageTemplate,
  examples: readonly string[],
  buttons: readonly object[],
): TemplateDefinition => ({
  name,
  language,
  category: "UTILITY",
  components: [
    { type: "BODY", text: body, example: { body_text: [examples] } },
    ...(buttons.length > 0 ? [{ type: "BUTTONS", buttons }] : []),
  ],
});

/** The templates that signers are sent, with the examples that Meta wants to see. `linkBase`: what signing links begin with. */
export const templateDefinitions = (templates: WhatsAppTemplates, linkBase: string): readonly TemplateDefinition[] => {
  const { request, requestNote, requestUntil, requestNoteUntil, link, linkUntil, copy, canceled } = templates;
  const { name, business, document, words, until } = EXAMPLE;
  const quickReplies = Object.values(ANSWER_LABELS).map((text) => ({ type: "QUICK_REPLY", text }));
  const opensLink = (text: string) => ({
    type: "URL",
    text,
    url: `${linkBase}{{1}}`,
    example: [`${linkBase}AQGZq2hvbGE`],
  });
  return [
    definition(request, REQUEST_TEMPLATE, [name, business, document], quickReplies),
    definition(requestNote, REQUEST_NOTE_TEMPLATE, [name, business, document, words], quickReplies),
    definition(requestUntil, REQUEST_UNTIL_TEMPLATE, [name, business, document, until], quickReplies),
    definition(requestNoteUntil, REQUEST_NOTE_UNTIL_TEMPLATE, [name, business, document, words, until], quickReplies),
    definition(link, LINK_TEMPLATE, [name, document], [opensLink(LINK_LABEL)]),
    definition(linkUntil, LINK_UNTIL_TEMPLATE, [name, document, until], [opensLink(LINK_LABEL)]),
    definition(copy, COPY_TEMPLATE, [name, document], [opensLink(COPY_LABEL)]),
    definition(canceled, CANCELED_TEMPLATE, [name, business, document], []),
    ...reminderDefinitions(templates, quickReplies, [opensLink(LINK_LABEL)]),
  ];
};

const reminderDefinitions = (
  { reminder, reminderUntil, reminderLink, reminderLinkUntil }: WhatsAppTemplates,
  quickReplies: readonly object[],
  opensLink: readonly object[],
): readonly TemplateDefinition[] => {
  const { name, business, document, until } = EXAMPLE;
  const values = [name, business, document];
  return [
    definition(reminder, REMINDER_TEMPLATE, values, quickReplies),
    definition(reminderUntil, REMINDER_UNTIL_TEMPLATE, [...values, until], quickReplies),
    definition(reminderLink, REMINDER_LINK_TEMPLATE, values, opensLink),
    definition(reminderLinkUntil, REMINDER_LINK_UNTIL_TEMPLATE, [...values, until], opensLink),
  ];
};

/** What Meta said of a template. */
export type SubmissionOutcome =
  | { name: string; id: string; status: string }
  /** `error`: Meta's code and words, or why there is no answer. */
  | { name: string; error: string };

export interface SubmissionOptions {
  baseUrl: string;
  graphVersion: string;
  token: string;
  businessAccountId: string;
  clock: Clock;
}

const TakenJson = z.object({ id: z.string(), status: z.string() });
const RefusedJson = z.object({
  error: z.object({ code: z.int(), message: z.string(), error_user_msg: z.string().optional() }),
});

/**
 * Submits templates to Meta for its approval, one after the other.
 * @throws {RangeError} when the address or the token can't be used.
 */
export const submitTemplates = async (
  { baseUrl, graphVersion, token, businessAccountId, clock }: SubmissionOptions,
  definitions: readonly TemplateDefinition[],
): Promise<SubmissionOutcome[]> => {
  const graph = createOwnService({ url: baseUrl, key: token, clock });
  const outcomes: SubmissionOutcome[] = [];
  for (const template of definitions) {
    const { name } = template;
    try {
      const { status, body } = await graph.ask({
        method: "POST",
        path: `/${graphVersion}/${businessAccountId}/message_templates`,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(template),
        timeoutMs: TIMEOUT_MS,
        maxAnswerBytes: MAX_ANSWER_BYTES,
      });
      outcomes.push({ name, ...readOutcome(status, body.toString("utf8")) });
    } catch (error) {
      if (!(error instanceof OutboundFailed)) throw error;
      outcomes.push({ name, error: error.message });
    }
  }
  return outcomes;
};

const readOutcome = (status: number, text: string): { id: string; status: string } | { error: string } => {
  const answer = jsonOf(text);
  const { data: taken } = TakenJson.safeParse(answer);
  if (status < 300 && taken) return taken;
  const { data: refused } = RefusedJson.safeParse(answer);
  if (!refused) return { error: `answered ${status}` };
  const { code, message, error_user_msg: explained } = refused.error;
  return { error: `${code}: ${explained ?? message}` };
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
