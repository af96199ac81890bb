import type { DocumentEvent } from "@rubrica/events";
import { nextInDayHours } from "./day-hours.ts";
import { isReminderScheduleDue } from "./due.ts";
import { requestedDocument, signerOf, signersStanding } from "./lookup.ts";
import type { Document, RequestedDocument } from "./state.ts";

const HOUR_MS = 3_600_000;

/** What it takes to reckon when a signer is to be reminded next. */
export interface ScheduleReminder {
  signerId: string;
  /** The signer's, IANA, where the request names none. */
  timeZone: string;
  /** Milliseconds since the UNIX epoch. */
  now: number;
}

/**
 * Says when a signer is to be reminded next: hours after they were asked, or reminded, at an hour of the day that disturbs
 * nobody. Of those that were missed one is left, and none where the document's time ends before.
 * @throws {DomainError} unknown_document, unknown_signer
 */
export const scheduleReminder = (
  document: Document,
  { signerId, timeZone, now }: ScheduleReminder,
): DocumentEvent[] => {
  const requested = requestedDocument(document);
  const { reminders } = requested;
  const { standing, signerStanding } = signersStanding(document, signerId);
  if (!reminders || !isReminderScheduleDue(standing, signerStanding)) return [];
  const { askedAt, remindedAt } = signerOf(document, signerId);
  const [since, hours] = remindedAt === null ? [askedAt, reminders.afterHours] : [remindedAt, reminders.everyHours];
  const wanted = (since === null ? now : Date.parse(since)) + hours * HOUR_MS;
  return [scheduledFrom(requested, { signerId, timeZone, now: Math.max(wanted, now) })];
};

/** That a signer is to be reminded at a time, or at the next one that disturbs nobody. */
const scheduledFrom = (
  { timeZone: named, expiresAt }: RequestedDocument,
  { signerId, timeZone, now }: ScheduleReminder,
): DocumentEvent => {
  const due = nextInDayHours(now, named ?? timeZone);
  const isTooLate = expiresAt !== null && due >= Date.parse(expiresAt);
  const dueAt = isTooLate ? null : new Date(due).toISOString();
  return { type: "ReminderScheduled", data: { signerId, dueAt }, personal: null };
};

/** That a reminder which is due, or is tried again, at an hour that disturbs is put off; nothing by day. */
export const putOffToDay = (document: RequestedDocument, command: ScheduleReminder): DocumentEvent[] =>
  nextInDayHours(command.now, document.timeZone ?? command.timeZone) === command.now
    ? []
    : [scheduledFrom(document, command)];
