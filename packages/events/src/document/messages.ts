import { z } from "zod";
import { defineEvent, type EventContent, type EventOf } from "../define.ts";
import { addressChecked, Origin } from "../origin.ts";
import { IsoTime, Medium, Provider, providerNotRecorded, sample, Uuid } from "../shared.ts";

const MessageKind = z.enum(["template", "link", "copy", "cancellation", "refusal", "reminder"]);
/**
 * The messages that a signer gets: the template that asks, the link, where to find the signed copy, that the document was
 * canceled, what follows from choosing not to continue, and that their signature is awaited still.
 */
export type MessageKind = z.infer<typeof MessageKind>;

const named = { signerId: Uuid, messageId: z.string().max(200) };
const message = { ...named, kind: MessageKind };
const messageSample = { signerId: sample.signerId, kind: "template" as const, messageId: `${sample.keyId}:template` };
/** Before there were others, signers were reached by the messaging app. */
const byApp = ({ data, personal }: EventContent): EventContent => ({ data: { ...data, medium: "wpp" }, personal });

/** Before there was one with the signed copy, the messages were two; before one of a cancellation, three. */
const sameKinds = (content: EventContent): EventContent => content;

const providerMessage = { providerMessageId: z.string().max(200) };
const sentMessage = { ...message, ...providerMessage };
/** By what, and at which attempt, a provider took a message. */
const taken = { ...providerMessage, medium: Medium, attempt: z.int().positive() };
/** What a provider took of the two messages before the signature. */
const sentBefore = { ...named, kind: z.enum(["template", "link"]), ...providerMessage };
const sentSample = { ...messageSample, providerMessageId: "sim.1" };

/**
 * A message is about to be given to the provider: the provider knows no idempotency key, so this comes first. `provider`
 * is null in events from before it was recorded.
 */
export const MessageAttempted = defineEvent({
  type: "MessageAttempted",
  version: 5,
  upcasts: { 1: providerNotRecorded, 2: byApp, 3: sameKinds, 4: sameKinds },
  data: z.strictObject({ ...message, medium: Medium, attempt: z.int().positive(), provider: Provider.nullable() }),
  personal: null,
  example: { data: { ...messageSample, medium: "wpp", attempt: 1, provider: sample.provider }, personal: null },
});

/** The provider took the template message. `withLink`: the signing link went along, since the medium has no buttons. */
export const MessageSent = defineEvent({
  type: "MessageSent",
  version: 2,
  upcasts: {
    1: (content) => {
      const { data, personal } = byApp(content);
      return { data: { ...data, withLink: false }, personal };
    },
  },
  data: z.strictObject({ ...sentBefore, medium: Medium, withLink: z.boolean(), attempt: z.int().positive() }),
  personal: null,
  example: { data: { ...sentSample, medium: "wpp", withLink: false, attempt: 1 }, personal: null },
});

/** The message reached the signer's phone. */
export const MessageDelivered = defineEvent({
  type: "MessageDelivered",
  version: 3,
  upcasts: { 1: sameKinds, 2: sameKinds },
  data: z.strictObject(sentMessage),
  personal: null,
  example: { data: sentSample, personal: null },
});

/** The signer saw the message. */
export const MessageRead = defineEvent({
  type: "MessageRead",
  version: 3,
  upcasts: { 1: sameKinds, 2: sameKinds },
  data: z.strictObject(sentMessage),
  personal: null,
  example: { data: sentSample, personal: null },
});

/**
 * A message did not reach the signer. The next attempt is made at `nextAttemptAt` by `nextMedium`; both are null when there is
 * none. `wasTaken`: a reminder that its provider had taken, which is not sent again; missing else.
 */
export const MessageFailed = defineEvent({
  type: "MessageFailed",
  version: 4,
  upcasts: {
    1: (content) => {
      const { data, personal } = byApp(content);
      return { data: { ...data, nextMedium: data.nextAttemptAt === null ? null : "wpp" }, personal };
    },
    2: sameKinds,
    3: sameKinds,
  },
  data: z.strictObject({
    ...message,
    medium: Medium,
    attempt: z.int().positive(),
    reason: z.string().max(200),
    nextAttemptAt: IsoTime.nullable(),
    nextMedium: Medium.nullable(),
    wasTaken: z.literal(true).optional(),
  }),
  personal: null,
  example: {
    data: {
      ...messageSample,
      medium: "wpp",
      attempt: 1,
      reason: "unreachable",
      nextAttemptAt: sample.at,
      nextMedium: "sms",
    },
    personal: null,
  },
});

/** The signer chose to continue. `answeredAt`: when, as the provider says; missing in events from before it was kept. */
export const TemplateAnswered = defineEvent({
  type: "TemplateAnswered",
  data: z.strictObject({ signerId: Uuid, ...providerMessage, answeredAt: IsoTime.optional() }),
  personal: null,
  example: {
    data: { signerId: sample.signerId, providerMessageId: "sim.1", answeredAt: sample.at },
    personal: null,
  },
});

/**
 * The signer chose not to continue; ends nothing, the link works still. `explained`: they are told what follows from it; who
 * has signed or continued since, and after the document's end, nothing does. `answeredAt`: when they chose, as the provider
 * says; missing in events from before it was kept.
 */
export const ContinueRefused = defineEvent({
  type: "ContinueRefused",
  version: 2,
  // Before there was such a message, nobody was told; and nobody is to be told long after.
  upcasts: { 1: ({ data, personal }) => ({ data: { ...data, explained: false }, personal }) },
  data: z.strictObject({ signerId: Uuid, ...providerMessage, explained: z.boolean(), answeredAt: IsoTime.optional() }),
  personal: null,
  example: {
    data: { signerId: sample.signerId, providerMessageId: "sim.1", explained: true, answeredAt: sample.at },
    personal: null,
  },
});

/** The provider took the message with the signing link. */
export const SignatureLinkSent = defineEvent({
  type: "SignatureLinkSent",
  version: 2,
  upcasts: { 1: byApp },
  data: z.strictObject({ ...sentBefore, medium: Medium, attempt: z.int().positive() }),
  personal: null,
  example: { data: { ...sentSample, kind: "link", medium: "wpp", attempt: 1 }, personal: null },
});

/** The provider took the message that leads to the signed copy. */
export const SignedCopySent = defineEvent({
  type: "SignedCopySent",
  data: z.strictObject({ ...named, kind: z.literal("copy"), ...taken }),
  personal: null,
  example: { data: { ...sentSample, kind: "copy", medium: "wpp", attempt: 1 }, personal: null },
});

/** The provider took the message that says that the document was canceled. */
export const CancellationSent = defineEvent({
  type: "CancellationSent",
  data: z.strictObject({ ...named, kind: z.literal("cancellation"), ...taken }),
  personal: null,
  example: { data: { ...sentSample, kind: "cancellation", medium: "wpp", attempt: 1 }, personal: null },
});

/** The provider took the message that says what follows from choosing not to continue. */
export const RefusalExplained = defineEvent({
  type: "RefusalExplained",
  data: z.strictObject({ ...named, kind: z.literal("refusal"), ...taken }),
  personal: null,
  example: { data: { ...sentSample, kind: "refusal", medium: "wpp", attempt: 1 }, personal: null },
});

/** When a signer is to be reminded next; null: not again, since the document's time ends before. */
export const ReminderScheduled = defineEvent({
  type: "ReminderScheduled",
  data: z.strictObject({ signerId: Uuid, dueAt: IsoTime.nullable() }),
  personal: null,
  example: { data: { signerId: sample.signerId, dueAt: sample.at }, personal: null },
});

/** The provider took a message that reminds. `withLink`: the signing link went along. */
export const ReminderSent = defineEvent({
  type: "ReminderSent",
  data: z.strictObject({
    ...named,
    kind: z.literal("reminder"),
    ...providerMessage,
    medium: Medium,
    withLink: z.boolean(),
    attempt: z.int().positive(),
  }),
  personal: null,
  example: { data: { ...sentSample, kind: "reminder", medium: "wpp", withLink: false, attempt: 1 }, personal: null },
});

const messageTakenEvents = [
  MessageSent,
  SignatureLinkSent,
  SignedCopySent,
  CancellationSent,
  RefusalExplained,
  ReminderSent,
] as const;

/** That the provider took a message: each kind of message has an event of its own for it. */
export type MessageTaken = EventOf<(typeof messageTakenEvents)[number]>;

const messageTakenTypes: ReadonlySet<string> = new Set(messageTakenEvents.map(({ type }) => type));

/** Whether an event tells that the provider took a message. */
export const isMessageTaken = <Event extends { type: string }>(
  event: Event,
): event is Extract<Event, { type: MessageTaken["type"] }> => messageTakenTypes.has(event.type);

/** The signing page's script ran in the signer's browser. */
export const SigningPageOpened = defineEvent({
  type: "SigningPageOpened",
  ...addressChecked,
  data: z.strictObject({ signerId: Uuid }),
  personal: Origin,
  example: { data: { signerId: sample.signerId }, personal: sample.origin },
});

export const messageEvents = [
  MessageAttempted,
  MessageSent,
  MessageDelivered,
  MessageRead,
  MessageFailed,
  TemplateAnswered,
  ContinueRefused,
  SignatureLinkSent,
  SignedCopySent,
  CancellationSent,
  RefusalExplained,
  ReminderScheduled,
  ReminderSent,
  SigningPageOpened,
] as const;
