import {
  createOwnService,
  needsNoMoreAsking,
  type OutboundAnswer,
  OutboundFailed,
  type OwnService,
  type OwnServiceOptions,
  type OwnServiceRequest,
} from "@rubrica/fetching";
import { z } from "zod";
import { MessagingError, type MessagingProvider, type Sent } from "../port.ts";
import { messageJson } from "./messages.ts";

const REQUEST_TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 16_384;

const SentJson = z.object({ providerMessageId: z.string().regex(/^[\x21-\x7e]{1,200}$/) });
const RefusedJson = z.object({ reason: z.string().regex(/^[a-z][a-z0-9_]{0,59}$/) });

/** What is set right by the operator: then trying again helps. */
const SET_UP_WRONGLY: readonly number[] = [401, 403, 404, 405];

/**
 * A provider that speaks docs/messaging-simulator.md, as the simulator does.
 * @throws {RangeError} when the URL or the key cannot be used.
 */
export const createHttpMessagingProvider = ({
  provider,
  ...options
}: OwnServiceOptions & Pick<MessagingProvider, "provider">): MessagingProvider => {
  const service = createOwnService(options);
  return {
    provider,
    method: "wpp",
    sendTemplate: (message, signal) => send(service, messageJson({ kind: "template", ...message }), signal),
    sendLink: (message, signal) => send(service, messageJson({ kind: "link", ...message }), signal),
    forget: (messageId, signal) => forget(service, messageId, signal),
  };
};

const send = async (service: OwnService, body: string, signal: AbortSignal): Promise<Sent> => {
  const headers = { "content-type": "application/json" };
  const answer = await answerOf(service, { method: "POST", path: "/messages", headers, body }, signal);
  if (answer.status === 200) return read(SentJson, answer) ?? failed("provider_bad_answer");
  if (answer.status === 422) throw new MessagingError(read(RefusedJson, answer)?.reason ?? "provider_refused", true);
  if (SET_UP_WRONGLY.includes(answer.status)) return failed("provider_set_up_wrongly");
  // What is wrong with the message itself stays wrong.
  if (answer.status === 400 || answer.status === 413) throw new MessagingError("provider_refused", true);
  return failed("provider_busy");
};

const forget = async (service: OwnService, messageId: string, signal: AbortSignal): Promise<void> => {
  const path = `/messages/${encodeURIComponent(messageId)}`;
  const answer = await answerOf(service, { method: "DELETE", path }, signal);
  if (needsNoMoreAsking(answer)) return;
  failed(answer.status === 401 || answer.status === 403 ? "provider_set_up_wrongly" : "provider_busy");
};

const answerOf = async (
  service: OwnService,
  request: Pick<OwnServiceRequest, "method" | "path" | "headers" | "body">,
  signal: AbortSignal,
): Promise<OutboundAnswer> => {
  try {
    return await service.ask({
      ...request,
      timeoutMs: REQUEST_TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      signal,
    });
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error;
    return failed(error.failure === "timed_out" ? "provider_timeout" : "provider_unreachable");
  }
};

/** What may be otherwise when it is tried again. @throws {MessagingError} */
const failed = (reason: string): never => {
  throw new MessagingError(reason, false);
};

const read = <Of>(schema: z.ZodType<Of>, { body, isWhole }: OutboundAnswer): Of | undefined => {
  if (!isWhole) return undefined;
  try {
    return schema.safeParse(JSON.parse(body.toString("utf8"))).data;
  } catch {
    return undefined;
  }
};
