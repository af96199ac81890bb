/** What our messages carry, so that what comes back names them by the service's own id; others' have no such mark. */
const OPAQUE = "rubrica/";
const PAYLOADS = { continue: "rubrica/continue/", no_continue: "rubrica/no_continue/" } as const;

type Answer = keyof typeof PAYLOADS;

/** `biz_opaque_callback_data`, which statuses echo. */
export const opaqueOf = (messageId: string): string => `${OPAQUE}${messageId}`;

/** The message's own id, or null when the mark is not ours. */
export const messageIdOf = (opaque: string): string | null =>
  opaque.startsWith(OPAQUE) ? opaque.slice(OPAQUE.length) : null;

/** What a quick reply brings back when it is pressed. */
export const payloadOf = (answer: Answer, messageId: string): string => `${PAYLOADS[answer]}${messageId}`;

/** The answer and the message's own id, or undefined when the button is not ours. */
export const answerOf = (payload: string): { answer: Answer; messageId: string } | undefined => {
  for (const answer of ["continue", "no_continue"] as const) {
    const start = PAYLOADS[answer];
    if (payload.startsWith(start)) return { answer, messageId: payload.slice(start.length) };
  }
  return undefined;
};
