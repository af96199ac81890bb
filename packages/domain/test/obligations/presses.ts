import type { WebhookType } from "@rubrica/events";

/** A press of one of the two buttons, when it was made. */
export interface Press {
  answer: "continue" | "no_continue";
  atMs: number;
}

/** What is known of who presses. */
export interface Presser {
  isAsked: boolean;
  isInLine: boolean;
  signed: boolean;
  continued: boolean;
  /** They continued since they were asked last, and were not sent the link yet. */
  awaitsLink: boolean;
  /** When they chose not to continue, and did not go back on it. */
  refusedAtMs: number | null;
  lastPress: Press | null;
  /** When they were last sent something that asks or reminds, continued, or were to be sent all anew. */
  lastAtMs: number | null;
}

const continues = (person: Presser, atMs: number): void => {
  person.continued = true;
  person.awaitsLink = true;
  person.lastAtMs = Math.max(person.lastAtMs ?? atMs, atMs);
};

/**
 * What becomes of a press that the service is told of, as it is told to people: the last one counts. Of one that comes late
 * there is the link, where they never continued before. Answers what is told of it, or null.
 */
export const pressed = (person: Presser, press: Press, now: number, isOver: boolean): WebhookType | null => {
  const { answer, atMs } = press;
  const { lastPress, refusedAtMs, continued, isAsked, isInLine } = person;
  if (lastPress !== null && atMs <= lastPress.atMs) {
    if (answer === "continue" && !continued) continues(person, atMs);
    return null;
  }
  if (answer === "no_continue") {
    if (refusedAtMs !== null) return null;
    Object.assign(person, { lastPress: press, refusedAtMs: now });
    return isOver || person.signed ? null : "no_continue";
  }
  const waits = isInLine && !isAsked;
  if (lastPress?.answer === "continue" && !waits) return null;
  Object.assign(person, { lastPress: press, refusedAtMs: null });
  continues(person, atMs);
  return null;
};
