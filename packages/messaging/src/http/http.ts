import { createOwnService, type OwnServiceOptions } from "@rubrica/outbound";
import { z } from "zod";
import type { LinkMessage, MessagingProvider, NoteMessage, ReminderMessage, TemplateMessage } from "../port.ts";
import { forgetMessage, postMessage } from "./adapter.ts";

/** The largest body of a message: a campaign's own text may be long. */
export const MAX_MESSAGE_BYTES = 65_536;

const common = {
  messageId: z.string().min(1).max(200),
  to: z.string().max(100),
  signerName: z.string().max(1_000),
  documentName: z.string().max(1_000),
};

/** The body of `POST /messages`. */
export const MessageJson = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("template"),
    ...common,
    businessName: z.string().max(1_000),
    text: z.string().nullable(),
    until: z.string().max(200).optional(),
  }),
  z.object({ kind: z.literal("link"), ...common, link: z.string().max(2_000), until: z.string().max(200).optional() }),
  z.object({ kind: z.literal("copy"), ...common, link: z.string().max(2_000) }),
  z.object({
    kind: z.literal("reminder"),
    ...common,
    businessName: z.string().max(1_000),
    link: z.string().max(2_000).nullable(),
    until: z.string().max(200).optional(),
  }),
  z.object({ kind: z.literal("cancellation"), ...common, businessName: z.string().max(1_000) }),
  z.object({
    kind: z.literal("refusal"),
    ...common,
    businessName: z.string().max(1_000),
    hasContinued: z.boolean().optional(),
  }),
]);
export type MessageJson = z.infer<typeof MessageJson>;

/** A message as it is sent. */
const messageJson = (
  message:
    | ({ kind: "template" } & TemplateMessage)
    | ({ kind: "link" } & LinkMessage)
    | ({ kind: "copy" } & LinkMessage)
    | ({ kind: "reminder" } & ReminderMessage)
    | NoteMessage,
): string => {
  const { kind, messageId, to, signerName, documentName } = message;
  const told = { kind, messageId, to, signerName, documentName };
  if (message.kind === "link") return JSON.stringify({ ...told, link: message.link, ...untilOf(message) });
  if (message.kind === "copy") return JSON.stringify({ ...told, link: message.link });
  const { businessName } = message;
  if (message.kind === "reminder") {
    const link = message.hasContinued ? message.link : null;
    return JSON.stringify({ ...told, businessName, link, ...untilOf(message) });
  }
  if (message.kind === "cancellation") return JSON.stringify({ ...told, businessName });
  if (message.kind === "refusal")
    return JSON.stringify({ ...told, businessName, ...(message.hasContinued ? { hasContinued: true } : {}) });
  return JSON.stringify({ ...told, businessName, text: message.text, ...untilOf(message) });
};

const untilOf = ({ until }: { until: string | null }) => (until === null ? {} : { until });

/**
 * A provider that speaks docs/messaging-simulator.md, as the simulator does.
 * @throws {RangeError} when the URL or the key cannot be used.
 */
export const createHttpMessagingProvider = ({
  provider,
  ...options
}: OwnServiceOptions & Pick<MessagingProvider, "provider">): MessagingProvider => {
  const adapter = { service: createOwnService(options), clock: options.clock };
  return {
    provider,
    medium: "wpp",
    sendTemplate: (message, signal) => postMessage(adapter, messageJson({ kind: "template", ...message }), signal),
    sendLink: (message, signal) => postMessage(adapter, messageJson({ kind: "link", ...message }), signal),
    sendCopy: (message, signal) => postMessage(adapter, messageJson({ kind: "copy", ...message }), signal),
    sendReminder: (message, signal) => postMessage(adapter, messageJson({ kind: "reminder", ...message }), signal),
    sendNote: (message, signal) => postMessage(adapter, messageJson(message), signal),
    forget: (messageId, signal) => forgetMessage(adapter, messageId, signal),
  };
};
