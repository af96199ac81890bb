import { type Handlers, stepOf } from "@rubrica/commands";
import {
  attemptMessage,
  type Document,
  type MessageNamed,
  type PublishedObligation,
  recordMessageFailed,
  recordMessageSent,
  signerOf,
} from "@rubrica/domain";
import type { CommandContext } from "@rubrica/journal";
import { MessagingError, type MessagingProvider, type Sent } from "@rubrica/messaging";
import type { Runtime } from "@rubrica/runtime";
import type { SigningTokens } from "@rubrica/secrets";
import { contextOf, type Subscriber, signerIdOf } from "./subscriber.ts";

const CONCURRENCY = 16;

export interface MessageDependencies {
  handlers: Handlers;
  messaging: MessagingProvider;
  tokens: SigningTokens;
  publicUrl: string;
  runtime: Runtime;
}

/** Sends signers the template that asks them, then, when they chose to continue, the link. */
export const messageSubscribers = (dependencies: MessageDependencies): Subscriber[] => [
  { kind: "send-template", concurrency: CONCURRENCY, meet: (published) => send(dependencies, published, "template") },
  { kind: "send-link", concurrency: CONCURRENCY, meet: (published) => send(dependencies, published, "link") },
];

/**
 * The provider knows no idempotency key: the attempt is recorded before it is made, its outcome after. Cut in between,
 * the message is sent again; it is never left unsent.
 */
const send = async (dependencies: MessageDependencies, published: PublishedObligation, kind: "template" | "link") => {
  const { handlers } = dependencies;
  const { documentId } = published;
  const named = { signerId: signerIdOf(published), kind, messageId: published.obligation.id };
  const before = signerOf(await handlers.documents.load(documentId), named.signerId).messages[named.messageId];
  const context = stepOf(contextOf(published, "messages"), (before?.attempts ?? 0) + 1);
  const attempted = await handlers.documents.handle(documentId, attemptMessage, named, stepOf(context, "attempted"));
  if (!attempted.events.some(({ type }) => type === "MessageAttempted")) return;
  await recordOutcome(dependencies, documentId, named, await give(dependencies, attempted.state, named), context);
};

type Outcome = { sent: Sent } | { error: MessagingError };

/** Gives the message to the provider. Anything but the provider's own refusal leaves the obligation open. */
const give = async (
  { messaging, tokens, publicUrl }: MessageDependencies,
  document: Document,
  { signerId, kind, messageId }: MessageNamed,
): Promise<Outcome> => {
  const { person } = signerOf(document, signerId);
  if (document.status === "none" || !document.texts || !person) return { error: new MessagingError("forgotten", true) };
  const { businessName, documentName, messageText } = document.texts;
  const common = { messageId, to: person.phone, signerName: person.name, documentName };
  const index = document.signers.findIndex((signer) => signer.signerId === signerId);
  try {
    return {
      sent:
        kind === "template"
          ? await messaging.sendTemplate({ ...common, businessName, text: messageText })
          : await messaging.sendLink({ ...common, link: `${publicUrl}/s/${tokens.make(document.documentId, index)}` }),
    };
  } catch (error) {
    if (error instanceof MessagingError) return { error };
    throw error;
  }
};

const recordOutcome = async (
  { handlers, runtime }: MessageDependencies,
  documentId: string,
  named: MessageNamed,
  outcome: Outcome,
  context: CommandContext,
): Promise<void> => {
  if ("sent" in outcome) {
    const { providerMessageId } = outcome.sent;
    const command = { ...named, providerMessageId };
    await handlers.documents.handle(documentId, recordMessageSent, command, stepOf(context, "sent", providerMessageId));
    return;
  }
  const { reason, permanent } = outcome.error;
  const command = { ...named, reason, permanent, now: runtime.clock.now(), jitter: runtime.random.fraction() };
  await handlers.documents.handle(documentId, recordMessageFailed, command, stepOf(context, "failed"));
};
