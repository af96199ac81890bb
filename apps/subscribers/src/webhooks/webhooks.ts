import { type Handlers, stepOf } from "@rubrica/commands";
import {
  attemptDelivery,
  type DeliveryFailure,
  type PublishedObligation,
  type RequestedDocument,
  recordDelivered,
  recordDeliveryFailed,
  requestedDocument,
  type WebhookNamed,
} from "@rubrica/domain";
import { derivedId, streamName } from "@rubrica/events";
import { type Outbound, OutboundFailed } from "@rubrica/fetching";
import type { CommandContext, Journal } from "@rubrica/journal";
import type { Runtime } from "@rubrica/runtime";
import { contextOf, type Subscriber } from "../subscriber.ts";
import { HostLines } from "./host-lines.ts";
import { type PublicFiles, type WebhookToTell, webhookPayload } from "./payload.ts";
import { signatureHeaders } from "./signature.ts";

const TIMEOUT_MS = 15_000;
/** Nothing is done with the answer's body. */
const MAX_ANSWER_BYTES = 4_096;
/** Most of it waits for receivers: enough that dozens of slow hosts hold up nobody else. */
const CONCURRENCY = 512;

export interface WebhookDependencies extends PublicFiles {
  handlers: Handlers;
  journal: Pick<Journal, "read">;
  outbound: Outbound;
  runtime: Runtime;
  /** When it is aborted, no further webhook is sent. */
  signal: AbortSignal;
}

/** A callback on its way: where it goes, and what it says. */
interface Callback {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Tells integrators, at the URL that the document's request gave, what came of it. */
export const webhookSubscriber = (dependencies: WebhookDependencies): Subscriber => {
  const lines = new HostLines(dependencies.signal);
  return {
    kind: "webhook",
    concurrency: CONCURRENCY,
    async meet(published) {
      const document = requestedDocument(await dependencies.handlers.documents.load(published.documentId));
      const callback = await callbackOf(dependencies, document, published);
      const host = callback && URL.canParse(callback.url) ? new URL(callback.url).host : "";
      await lines.run(host, () => deliver(dependencies, published, callback));
    },
  };
};

/** The document's callback, or null when what it would say or where it would go was forgotten. */
const callbackOf = async (
  { journal, ...publicFiles }: WebhookDependencies,
  document: RequestedDocument,
  { obligation }: PublishedObligation,
): Promise<Callback | null> => {
  const { webhookType, signerId } = obligation;
  if (!webhookType) throw new Error("an obligation to call back names what it tells");
  const reason = webhookType === "msg" ? await failureReason(journal, document.documentId, obligation.id) : null;
  const told: WebhookToTell = { webhookType, signerId, reason };
  const payload = webhookPayload(document, told, publicFiles);
  const webhook = document.texts?.webhook;
  return payload && webhook ? { ...webhook, body: JSON.stringify(payload) } : null;
};

/** Why the message was given up whose failure obliges to call back. */
const failureReason = async (
  journal: WebhookDependencies["journal"],
  documentId: string,
  obligationId: string,
): Promise<string> => {
  for await (const event of journal.read(streamName("document", documentId)))
    if (event.type === "MessageFailed" && obligationId.startsWith(`${event.id}:`)) return event.data.reason;
  throw new Error("the failure that the callback tells of is not in the document's stream");
};

/**
 * The attempt is recorded before it is made, its outcome after. Cut in between, the webhook is sent again under the same
 * id; it is never left untold.
 */
const deliver = async (
  dependencies: WebhookDependencies,
  published: PublishedObligation,
  callback: Callback | null,
): Promise<void> => {
  const { deliveries } = dependencies.handlers;
  const { obligation, documentId } = published;
  const deliveryId = derivedId(obligation.id);
  const before = await deliveries.load(deliveryId);
  const attempts = before.status === "none" ? 0 : before.attempts;
  // It was published before the last attempt began: that one has its own pause to come, and is published after it.
  if (attempts > obligation.attempts || !obligation.webhookType) return;
  const named: WebhookNamed = { webhookId: obligation.id, documentId, webhookType: obligation.webhookType };
  const attempt = { ...named, attempt: attempts + 1 };
  const context = stepOf(contextOf(published, "webhooks"), attempt.attempt);
  const attempted = await deliveries.handle(deliveryId, attemptDelivery, attempt, stepOf(context, "attempted"));
  if (!attempted.events.some(({ type }) => type === "WebhookAttempted")) return;
  const outcome = callback ? await send(dependencies, published, callback) : forgotten;
  await record(dependencies, deliveryId, outcome, context);
};

type Failure = Pick<DeliveryFailure, "reason" | "permanent" | "status" | "durationMs">;
type Outcome = { failure: Failure } | { status: number; durationMs: number };

const forgotten: Outcome = { failure: { reason: "forgotten", permanent: true, status: null, durationMs: 0 } };

const send = async (
  { handlers, outbound, runtime: { clock } }: WebhookDependencies,
  { obligation, accountId }: PublishedObligation,
  { url, headers, body }: Callback,
): Promise<Outcome> => {
  const account = await handlers.accounts.load(accountId);
  const secret = account.status === "open" ? account.webhookSecret : null;
  const startMs = clock.monotonicMs();
  const durationMs = () => Math.round(clock.monotonicMs() - startMs);
  try {
    const { status } = await outbound.request({
      method: "POST",
      url,
      headers: {
        "user-agent": "Rubrica",
        ...headers,
        ...signatureHeaders(secret, { id: obligation.id, body, now: clock.now() }),
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
      },
      body,
      timeoutMs: TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    });
    if (status >= 200 && status < 300) return { status, durationMs: durationMs() };
    return { failure: { reason: "status", permanent: false, status, durationMs: durationMs() } };
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error;
    return { failure: { reason: error.failure, permanent: false, status: null, durationMs: durationMs() } };
  }
};

const record = async (
  { handlers: { deliveries }, runtime }: WebhookDependencies,
  deliveryId: string,
  outcome: Outcome,
  context: CommandContext,
): Promise<void> => {
  if (!("failure" in outcome)) {
    await deliveries.handle(deliveryId, recordDelivered, outcome, stepOf(context, "delivered"));
    return;
  }
  const failure = { ...outcome.failure, now: runtime.clock.now(), jitter: runtime.random.fraction() };
  await deliveries.handle(deliveryId, recordDeliveryFailed, failure, stepOf(context, "failed"));
};
