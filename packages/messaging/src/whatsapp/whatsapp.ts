import { createOwnService, type OwnService, type OwnServiceOptions, retryAfterMs } from "@rubrica/outbound";
import type { Clock } from "@rubrica/runtime";
import { z } from "zod";
import { answerOf, readAnswer } from "../asking.ts";
import { type Circumstances, type LinkToSend, MessagingError, type MessagingProvider, type Sent } from "../port.ts";
import {
  canceledTemplateBody,
  linkTemplateBody,
  linkTextBody,
  noteTextBody,
  reminderBody,
  requestBody,
  type WhatsAppTemplates,
} from "./bodies.ts";
import { meaningOf, refusalOf } from "./errors.ts";

/** Meta tells of a message that it took within seconds, under the service's own id too. */
const UNKNOWN_OUTCOME_PAUSE_MS = 60_000;
/** Meta's customer service window, less what clocks may differ by. */
const WINDOW_MS = 24 * 60 * 60 * 1_000 - 10 * 60 * 1_000;

const SentJson = z.object({ messages: z.tuple([z.object({ id: z.string().min(1).max(1_000) })]).rest(z.unknown()) });
const RefusedJson = z.object({ error: z.object({ code: z.int(), error_subcode: z.int().optional() }) });

export interface WhatsAppOptions {
  /** Where the Graph API is, without a trailing slash: `https://graph.facebook.com`. */
  baseUrl: string;
  /** `v26.0`. */
  graphVersion: string;
  token: string;
  phoneNumberId: string;
  templates: WhatsAppTemplates;
  /** What all signing links begin with. */
  linkBase: string;
  /** The id of a message that events may hold: Meta's own may hold the recipient's phone. */
  idOf(wamid: string): string;
  clock: Clock;
  resolve?: OwnServiceOptions["resolve"];
}

/**
 * WhatsApp by Meta's Cloud API (https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages). A message
 * carries the service's own id, which Meta's notices echo: by them an attempt whose answer was lost is settled.
 * @throws {RangeError} when the address or the token can't be used.
 */
export const createWhatsAppProvider = (options: WhatsAppOptions): MessagingProvider => {
  const { baseUrl: url, token: key, clock, resolve, templates, linkBase } = options;
  const graph = createOwnService({ url, key, clock, resolve });
  const send = (body: object, signal: AbortSignal) => sendBody(options, graph, body, signal);
  const sendLink = (kind: "link" | "copy", message: LinkToSend, signal: AbortSignal) => {
    const isText = isWindowOpen(message, clock);
    return send(isText ? linkTextBody(kind, message) : linkTemplateBody(kind, message, templates, linkBase), signal);
  };
  return {
    provider: { name: "WhatsApp (Meta)", simulated: false },
    medium: "wpp",
    unknownOutcomePauseMs: UNKNOWN_OUTCOME_PAUSE_MS,
    sendTemplate: async (message, signal) => send(requestBody(message, templates), signal),
    sendLink: async (message, signal) => sendLink("link", message, signal),
    sendCopy: async (message, signal) => sendLink("copy", message, signal),
    sendReminder: async (message, signal) =>
      send(reminderBody(message, templates, { linkBase, isWindowOpen: isWindowOpen(message, clock) }), signal),
    sendNote: async (message, signal) => {
      if (isWindowOpen(message, clock)) return send(noteTextBody(message), signal);
      // What answers a button comes too late a day after it.
      if (message.kind === "refusal") throw new MessagingError(meaningOf(131_047).reason, true);
      return send(canceledTemplateBody(message, templates), signal);
    },
  };
};

/** Whether Meta takes a free text: for a while after the signer's last answer, unless it said that it is over. */
const isWindowOpen = ({ answeredAt, lastFailure }: Circumstances, clock: Clock): boolean =>
  answeredAt !== null && clock.now() - Date.parse(answeredAt) < WINDOW_MS && lastFailure !== meaningOf(131_047).reason;

const sendBody = async (
  { graphVersion, phoneNumberId, idOf, clock }: WhatsAppOptions,
  graph: OwnService,
  body: object,
  signal: AbortSignal,
): Promise<Sent> => {
  const request = {
    method: "POST" as const,
    path: `/${graphVersion}/${phoneNumberId}/messages`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const answer = await answerOf(graph, request, signal, unknownOutcome);
  if (answer.status >= 200 && answer.status < 300) {
    const taken = readAnswer(SentJson, answer);
    if (!taken) throw unknownOutcome("provider_bad_answer");
    return { providerMessageId: idOf(taken.messages[0].id) };
  }
  const pauseMs = retryAfterMs(answer.retryAfter, clock.now());
  const refused = readAnswer(RefusedJson, answer)?.error;
  if (refused) throw refusalOf(refused.code, refused.error_subcode, pauseMs);
  if (answer.status === 429) throw new MessagingError("rate_limited", false, pauseMs);
  throw unknownOutcome("provider_busy", pauseMs);
};

/** Meta may have taken the message: its notices have time to say so. */
const unknownOutcome = (reason: string, pauseMs = 0): MessagingError =>
  new MessagingError(reason, false, Math.max(pauseMs, UNKNOWN_OUTCOME_PAUSE_MS));
