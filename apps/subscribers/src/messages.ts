import { type Handlers, stepOf } from "@rubrica/commands";
import {
  attemptMessage,
  type Document,
  type Media,
  type MessageNamed,
  type PublishedObligation,
  recordMessageFailed,
  recordMessageSent,
  requesterShown,
  type Signer,
  scheduleReminder,
  signerOf,
} from "@rubrica/domain";
import type { Medium, MessageKind } from "@rubrica/events";
import { timeZoneOfPhone } from "@rubrica/identity";
import type { CommandContext } from "@rubrica/journal";
import {
  MessagingError,
  type MessagingProvider,
  type MessagingProviders,
  type NoteToSend,
  type ReminderToSend,
  type Sent,
  signingLinkBase,
  type TemplateMessage,
} from "@rubrica/messaging";
import type { Runtime } from "@rubrica/runtime";
import type { SigningTokens } from "@rubrica/secrets";
import { contextOf, type Subscriber, signerIdOf } from "./subscriber.ts";
import { untilIn } from "./until.ts";

const CONCURRENCY = 16;

export interface MessageDependencies {
  handlers: Handlers;
  messaging: MessagingProviders;
  tokens: SigningTokens;
  publicUrl: string;
  runtime: Runtime;
  /** Breaks off what is asked of the provider when the service stops: it is asked again at the next start. */
  signal: AbortSignal;
}

/** The media of these providers, in their order. */
export const mediaOf = (providers: MessagingProviders): Media => {
  const [first, ...others] = providers.keys();
  if (first === undefined) throw new Error("signers are reached by nothing");
  return [first, ...others];
};

/**
 * Send signers:
 *
 * - the template that asks them;
 * - the link, once they chose to continue;
 * - what follows from a refusal;
 * - reminders;
 * - after the end, their copy, or that it was canceled.
 */
export const messageSubscribers = (dependencies: MessageDependencies): Subscriber[] => [
  ...(Object.keys(sendBy) as MessageKind[]).map(
    (kind): Subscriber => ({
      kind: `send-${kind}`,
      concurrency: CONCURRENCY,
      meet: (published) => send(dependencies, published, kind),
    }),
  ),
  { kind: "schedule-reminder", concurrency: CONCURRENCY, meet: (published) => schedule(dependencies, published) },
];

/** Reckons when the signer is to be reminded next, by their phone's country where the request names no time zone. */
const schedule = async ({ handlers, runtime }: MessageDependencies, published: PublishedObligation): Promise<void> => {
  const signerId = signerIdOf(published);
  const timeZone = timeZoneOf(signerOf(await handlers.documents.load(published.documentId), signerId));
  const command = { signerId, timeZone, now: runtime.clock.now() };
  await handlers.documents.handle(published.documentId, scheduleReminder, command, contextOf(published, "messages"));
};

const timeZoneOf = ({ person }: Signer): string => (person === null ? "UTC" : timeZoneOfPhone(person.phone));

/**
 * The provider knows no idempotency key: the attempt is recorded before it is made, its outcome after. A process that
 * dies in between sends the message again, unless a notice tells meanwhile that the provider took it. No message is
 * left unsent.
 */
const send = async (dependencies: MessageDependencies, published: PublishedObligation, kind: MessageKind) => {
  const { handlers, messaging, runtime } = dependencies;
  const { documentId } = published;
  const named = { signerId: signerIdOf(published), kind, messageId: published.obligation.id };
  const signer = signerOf(await handlers.documents.load(documentId), named.signerId);
  const before = signer.messages[named.messageId];
  const attempt = { ...named, attempt: (before?.attempts ?? 0) + 1 };
  const context = stepOf(contextOf(published, "messages"), attempt.attempt);
  const unknownOutcomePauseMs = before && messaging.get(before.medium)?.unknownOutcomePauseMs;
  if (before?.state === "attempted" && unknownOutcomePauseMs !== undefined) {
    const error = new MessagingError("outcome_unknown", false, unknownOutcomePauseMs);
    return recordResult(dependencies, documentId, named, { error }, stepOf(context, "unknown"));
  }
  const providerBy = (medium: Medium) => providerOf(messaging, medium).provider;
  const to = { media: mediaOf(messaging), providerBy, timeZone: timeZoneOf(signer) };
  const command = { ...attempt, ...to, now: runtime.clock.now() };
  const { events, state } = await handlers.documents.handle(
    documentId,
    attemptMessage,
    command,
    stepOf(context, "attempted"),
  );
  const attempted = events.find((event) => event.type === "MessageAttempted");
  if (!attempted) return;
  const provider = providerOf(messaging, attempted.data.medium);
  await recordResult(dependencies, documentId, named, await give(dependencies, provider, state, named), context);
  await forgetIfErased(dependencies, provider, documentId, named.messageId);
};

const providerOf = (messaging: MessagingProviders, medium: Medium): MessagingProvider => {
  const provider = messaging.get(medium);
  if (!provider) throw new Error(`there is no provider of ${medium}`);
  return provider;
};

/**
 * The document may have been erased while the message was given. The provider may have had it only after it was asked
 * to forget the document: it is asked once more.
 */
const forgetIfErased = async (
  { handlers, signal }: MessageDependencies,
  provider: MessagingProvider,
  documentId: string,
  messageId: string,
): Promise<void> => {
  const document = await handlers.documents.load(documentId);
  if (document.status !== "none" && document.erasure !== "none") await provider.forget?.(messageId, signal);
};

/** All that a message may say. */
type Words = TemplateMessage & ReminderToSend & Omit<NoteToSend, "kind">;

const sendBy: Record<MessageKind, (provider: MessagingProvider, words: Words, signal: AbortSignal) => Promise<Sent>> = {
  template: (provider, words, signal) => provider.sendTemplate(words, signal),
  link: (provider, words, signal) => provider.sendLink(words, signal),
  copy: (provider, words, signal) => provider.sendCopy(words, signal),
  cancellation: (provider, words, signal) => provider.sendNote({ ...words, kind: "cancellation" }, signal),
  reminder: (provider, words, signal) => provider.sendReminder(words, signal),
  refusal: (provider, words, signal) => provider.sendNote({ ...words, kind: "refusal" }, signal),
};

/** What came of giving a message to a provider. */
type SendResult = { sent: Sent } | { error: MessagingError };

/** Gives the message to the provider. Anything but the provider's own refusal leaves the obligation open. */
const give = async (
  { tokens, publicUrl, signal }: MessageDependencies,
  provider: MessagingProvider,
  document: Document,
  { signerId, kind, messageId }: MessageNamed,
): Promise<SendResult> => {
  const { person, messages, lastAnswer, wantsLink, linkNumber } = signerOf(document, signerId);
  if (document.status === "none" || !document.texts || !person) return { error: new MessagingError("forgotten", true) };
  const { documentName, messageText } = document.texts;
  const businessName = requesterShown(document);
  const to = provider.medium === "email" ? person.email : person.phone;
  if (to === null) return { error: new MessagingError("no_address", true) };
  const index = document.signers.findIndex((signer) => signer.signerId === signerId);
  const link = `${signingLinkBase(publicUrl)}${tokens.make(document.documentId, index, linkNumber)}`;
  const common = { messageId, to, signerName: person.name, documentName, businessName };
  const lastFailure = messages[messageId]?.lastFailure ?? null;
  const timeZone = document.timeZone ?? timeZoneOfPhone(person.phone);
  const until = document.expiresAt === null ? null : untilIn(timeZone, document.expiresAt);
  const circumstances = { hasContinued: wantsLink, answeredAt: lastAnswer?.at ?? null, lastFailure };
  const words = { ...common, link, text: messageText, until, ...circumstances };
  try {
    return { sent: await sendBy[kind](provider, words, signal) };
  } catch (error) {
    if (error instanceof MessagingError) return { error };
    throw error;
  }
};

const recordResult = async (
  { handlers, messaging, runtime }: MessageDependencies,
  documentId: string,
  named: MessageNamed,
  result: SendResult,
  context: CommandContext,
): Promise<void> => {
  if ("sent" in result) {
    const { providerMessageId } = result.sent;
    const command = { ...named, providerMessageId };
    await handlers.documents.handle(documentId, recordMessageSent, command, stepOf(context, "sent", providerMessageId));
    return;
  }
  const { reason, permanent, pauseMs } = result.error;
  const when = { now: runtime.clock.now(), jitter: runtime.random.fraction() };
  const command = { ...named, reason, permanent, pauseMs, media: mediaOf(messaging), ...when };
  await handlers.documents.handle(documentId, recordMessageFailed, command, stepOf(context, "failed"));
};
