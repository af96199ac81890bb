import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import { z } from "zod";
import { defineEvent, type EventOf } from "./define.ts";
import { derivedId } from "./event-id.ts";
import { IsoTime, Medium, sample } from "./shared.ts";

/** How many notices of a messaging provider are kept together, at most. */
export const MAX_NOTICES = 100;

/** An id as providers give them: printable ASCII without spaces. */
const MessageId = z.string().regex(/^[\x21-\x7e]{1,200}$/, "must be 1 to 200 characters of printable ASCII");

/** A short word for programs; never a name or a number of a person. */
const ReasonCode = z.string().regex(/^[a-z][a-z0-9_]{0,59}$/, "must be a word of a-z, 0-9 and _");

const named = {
  providerMessageId: MessageId,
  /** The message by the service's own id; null where the provider does not give it back. */
  messageId: MessageId.nullable(),
  /** When it happened, as the provider says. */
  at: IsoTime,
};

/** What a messaging provider tells of a message after it took it: late, twice, out of order, or never. Names no person. */
export const Notice = z.discriminatedUnion("kind", [
  z.strictObject({ ...named, kind: z.enum(["sent", "delivered", "read"]) }),
  z.strictObject({ ...named, kind: z.literal("failed"), reason: ReasonCode, permanent: z.boolean() }),
  z.strictObject({ ...named, kind: z.literal("answered"), answer: z.enum(["continue", "no_continue"]) }),
]);
export type Notice = z.infer<typeof Notice>;

/** The stream of notices that came together: the same ones again have the same. */
export const noticesIdOf = (notices: readonly Notice[]): string =>
  derivedId(
    "notices",
    createHash("sha256")
      .update(String(canonicalize(notices)))
      .digest("hex"),
  );

/** Notices that came together, of messages by one medium. Those of no known message are looked up again until `unmatchedUntil`. */
export const NoticesReceived = defineEvent({
  type: "NoticesReceived",
  version: 2,
  // Before there were others, all were the messaging app's.
  upcasts: { 1: ({ data, personal }) => ({ data: { ...data, medium: "wpp" }, personal }) },
  data: z.strictObject({
    medium: Medium,
    notices: z.array(Notice).min(1).max(MAX_NOTICES),
    unmatchedUntil: IsoTime,
  }),
  personal: null,
  example: {
    data: {
      medium: "wpp",
      notices: [
        {
          providerMessageId: "sim.1",
          messageId: `${sample.keyId}:send-template`,
          at: sample.at,
          kind: "answered",
          answer: "continue",
        },
      ],
      unmatchedUntil: "2026-11-28T15:04:05.000Z",
    },
    personal: null,
  },
});

const handling = {
  /** How often the notices were handled. */
  attempt: z.int().positive(),
  /** Notices whose message was found, and that its document has taken note of. */
  recorded: z.int().nonnegative(),
};

/** Some notices are of no message that is known up to now; they are looked up again at `nextAttemptAt`. */
export const NoticesPostponed = defineEvent({
  type: "NoticesPostponed",
  data: z.strictObject({ ...handling, unmatched: z.int().positive(), nextAttemptAt: IsoTime }),
  personal: null,
  example: { data: { attempt: 1, recorded: 0, unmatched: 1, nextAttemptAt: sample.at }, personal: null },
});

/** Each notice was recorded, or dropped since nobody knew its message for too long. */
export const NoticesHandled = defineEvent({
  type: "NoticesHandled",
  data: z.strictObject({ ...handling, dropped: z.int().nonnegative() }),
  personal: null,
  example: { data: { attempt: 1, recorded: 1, dropped: 0 }, personal: null },
});

export const noticesEvents = [NoticesReceived, NoticesPostponed, NoticesHandled] as const;
export type NoticesEvent = EventOf<(typeof noticesEvents)[number]>;
