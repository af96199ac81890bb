import { type Handlers, stepOf } from "@rubrica/commands";
import {
  attemptDelivery,
  type OwedWebhook,
  type PublishedObligation,
  recordDelivered,
  recordDeliveryFailed,
  requestedDocument,
  type WebhookNamed,
  webhookOwedFor,
  webhookSecretsAt,
} from "@rubrica/domain";
import { derivedId, streamName, type TreeHead, type WebhookType } from "@rubrica/events";
import type { CommandContext, Journal } from "@rubrica/journal";
import type { Outbound } from "@rubrica/outbound";
import { type Callback, sendWebhook, type WebhookOutcome } from "@rubrica/outbound/webhooks";
import type { Runtime } from "@rubrica/runtime";
import { contextOf, type Subscriber } from "../subscriber.ts";
import { type Occasion, type PublicFiles, type WebhookToTell, webhookPayload } from "./payload.ts";
import { ReceiverQueues } from "./receiver-queues.ts";
import { SendingBudget } from "./sending-budget.ts";

/**
 * Webhooks mostly wait for their receivers. The number is higher than what is published at a time, so that slow
 * receivers hold up no others.
 */
const CONCURRENCY = 1_024;

export interface WebhookDependencies extends PublicFiles {
  handlers: Handlers;
  journal: Pick<Journal, "read">;
  outbound: Outbound;
  runtime: Runtime;
  /** The log's newest head; null where there is none, or it can't be told. */
  newestHead: () => Promise<TreeHead | null>;
  /** When it is aborted, no further webhook is sent. */
  signal: AbortSignal;
}

/** Tells integrators, at the URL that the document's request gave, what came of it. */
export const webhookSubscriber = (dependencies: WebhookDependencies): Subscriber => {
  const queues = new ReceiverQueues(dependencies.signal);
  const budget = new SendingBudget(dependencies.signal);
  return {
    kind: "webhook",
    concurrency: CONCURRENCY,
    async meet(published) {
      const { accountId, obligation } = published;
      const receiver = obligation.receiver ?? accountId;
      await queues.run(receiver, () => tell(dependencies, budget, published, receiver));
    },
  };
};

/**
 * Makes the callback and delivers it, once its bytes fit the budget. While it waits for that, it is not kept in memory.
 */
const tell = async (
  dependencies: WebhookDependencies,
  budget: SendingBudget,
  published: PublishedObligation,
  receiver: string,
): Promise<void> => {
  for (;;) {
    const callback = await callbackOf(dependencies, published);
    const bytes = callback ? sizeOf(callback) : 0;
    using held = budget.tryReserve(receiver, bytes);
    if (held) return await deliver(dependencies, published, callback);
    await budget.wait(receiver, bytes);
  }
};

const sizeOf = ({ url, headers, body }: Callback): number =>
  [url, body, ...Object.entries(headers).flat()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/** The document's callback, or null when what it would say or where it would go was forgotten. */
const callbackOf = async (
  { handlers, journal, ...publicFiles }: WebhookDependencies,
  { obligation, documentId }: PublishedObligation,
): Promise<Callback | null> => {
  const document = requestedDocument(await handlers.documents.load(documentId));
  const { webhookType, signerId, occasion } = await tellingOf(journal, document.documentId, obligation);
  const told: WebhookToTell = {
    webhookType,
    signerId,
    occasion: ABOUT_A_SIGNER.has(webhookType) ? occasion : null,
  };
  const payload = webhookPayload(document, told, publicFiles);
  const webhook = document.texts?.webhook;
  return payload && webhook ? { ...webhook, body: JSON.stringify(payload) } : null;
};

/** The kinds that tell of a signer while the document goes on. */
const ABOUT_A_SIGNER: ReadonlySet<WebhookType> = new Set(["msg", "no_continue", "signer_signed", "page_opened"]);

/**
 * What the callback tells, and what happened, by the event that obliges to it. Not by the obligation: that came by a message
 * and from a record, which others than this service may have written.
 * @throws {Error} when no event of the document obliges to it.
 */
const tellingOf = async (
  journal: WebhookDependencies["journal"],
  documentId: string,
  obligation: PublishedObligation["obligation"],
): Promise<OwedWebhook & { occasion: Occasion }> => {
  let asked: Parameters<typeof webhookOwedFor>[0] | undefined;
  let found: (OwedWebhook & { occasion: Occasion }) | undefined;
  for await (const event of journal.read(streamName("document", documentId))) {
    if (event.type === "DocumentRequested") asked = event.data;
    const owed = asked && webhookOwedFor(asked, event);
    if (owed && owed.webhookId === obligation.id && owed.signerId === obligation.signerId) {
      const reason = event.type === "MessageFailed" ? event.data.reason : null;
      found = { ...owed, occasion: { at: event.metadata.at, reason, formerPhone: null } };
    }
    if (!found?.signerId || event.type !== "SignerCorrected" || event.data.signerId !== found.signerId) continue;
    return { ...found, occasion: { ...found.occasion, formerPhone: event.personal?.before.phone ?? null } };
  }
  if (!found) throw new Error("what the callback tells of is not in the document's stream");
  return found;
};

/**
 * The attempt is recorded before it is made, its outcome after. A process that dies in between sends the webhook again,
 * under the same id. No webhook is left unsent.
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
  // This delivery of the obligation is outdated: it is older than the last attempt, after whose pause the obligation is
  // published again.
  if (attempts > obligation.attempts || !obligation.webhookType) return;
  const named: WebhookNamed = { webhookId: obligation.id, documentId, webhookType: obligation.webhookType };
  const head = before.status === "none" ? await dependencies.newestHead() : before.head;
  const attempt = { ...named, attempt: attempts + 1, head };
  const context = stepOf(contextOf(published, "webhooks"), attempt.attempt);
  const attempted = await deliveries.handle(deliveryId, attemptDelivery, attempt, stepOf(context, "attempted"));
  if (!attempted.events.some(({ type }) => type === "WebhookAttempted")) return;
  const outcome = callback ? await send(dependencies, published, callback, head) : forgotten;
  await record(dependencies, deliveryId, outcome, context);
};

const forgotten: WebhookOutcome = { taken: false, reason: "forgotten", permanent: true, status: null, durationMs: 0 };

const send = async (
  { handlers, outbound, runtime: { clock } }: WebhookDependencies,
  { obligation, accountId }: PublishedObligation,
  callback: Callback,
  head: TreeHead | null,
): Promise<WebhookOutcome> => {
  const account = await handlers.accounts.load(accountId);
  const secrets = webhookSecretsAt(account, clock.now());
  return sendWebhook({ outbound, clock }, { ...callback, id: obligation.id, secrets, head });
};

const record = async (
  { handlers: { deliveries }, runtime }: WebhookDependencies,
  deliveryId: string,
  outcome: WebhookOutcome,
  context: CommandContext,
): Promise<void> => {
  if (outcome.taken) {
    await deliveries.handle(deliveryId, recordDelivered, outcome, stepOf(context, "delivered"));
    return;
  }
  const failure = { ...outcome, now: runtime.clock.now(), jitter: runtime.random.fraction() };
  await deliveries.handle(deliveryId, recordDeliveryFailed, failure, stepOf(context, "failed"));
};
