import { needsNoMoreAsking, type OwnService, retryAfterMs } from "@rubrica/outbound";
import type { Clock } from "@rubrica/runtime";
import { z } from "zod";
import { answerOf, readAnswer } from "../asking.ts";
import { MessagingError, type Sent } from "../port.ts";

const SentJson = z.object({ providerMessageId: z.string().regex(/^[\x21-\x7e]{1,200}$/) });
const RefusedJson = z.object({ reason: z.string().regex(/^[a-z][a-z0-9_]{0,59}$/) });

/** What is set right by the operator: then trying again helps. */
const SET_UP_WRONGLY: readonly number[] = [401, 403, 404, 405];

/** A failure after which another attempt is worthwhile. */
const later = (reason: string, pauseMs?: number): MessagingError => new MessagingError(reason, false, pauseMs);

/** A service behind which a message goes on its way: docs/messaging-simulator.md and docs/sms-provider.md share its manners. */
export interface Adapter {
  service: OwnService;
  clock: Clock;
}

/** Gives a message to an adapter. @throws {MessagingError} */
export const postMessage = async ({ service, clock }: Adapter, body: string, signal: AbortSignal): Promise<Sent> => {
  const headers = { "content-type": "application/json" };
  const answer = await answerOf(service, { method: "POST", path: "/messages", headers, body }, signal, later);
  if (answer.status === 200) {
    const sent = readAnswer(SentJson, answer);
    if (!sent) throw later("provider_bad_answer");
    return sent;
  }
  if (answer.status === 422) {
    throw new MessagingError(readAnswer(RefusedJson, answer)?.reason ?? "provider_refused", true);
  }
  if (SET_UP_WRONGLY.includes(answer.status)) throw later("provider_set_up_wrongly");
  // What is wrong with the message itself stays wrong.
  if (answer.status === 400 || answer.status === 413) throw new MessagingError("provider_refused", true);
  throw later("provider_busy", retryAfterMs(answer.retryAfter, clock.now()));
};

/** Has an adapter forget a message, by the service's own id. @throws {MessagingError} when it has to be asked again. */
export const forgetMessage = async ({ service }: Adapter, messageId: string, signal: AbortSignal): Promise<void> => {
  const path = `/messages/${encodeURIComponent(messageId)}`;
  const answer = await answerOf(service, { method: "DELETE", path }, signal, later);
  if (needsNoMoreAsking(answer)) return;
  throw later(answer.status === 401 || answer.status === 403 ? "provider_set_up_wrongly" : "provider_busy");
};
