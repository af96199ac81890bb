import type { DocumentEvent } from "@rubrica/events";
import { isReminderScheduleDue } from "../standing/due.ts";
import { nextInDayHours } from "./day-hours.ts";
import { requestedDocument, signerOf } from "./lookup.ts";
import type { Document, RequestedDocument, Signer } from "./state.ts";

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
 * Says when a signer is to be reminded next: so many hours after they were last sent something or continued, at an hour of
 * the day that disturbs nobody. Missed reminders become one. None is scheduled after the document's time is over.
 * @throws {DomainError} unknown_document, unknown_signer
 */
export const scheduleReminder = (document: Document, command: ScheduleReminder): DocumentEvent[] => {
  const requested = requestedDocument(document);
  const signer = signerOf(requested, command.signerId);
  if (!isReminderScheduleDue(requested, signer)) return [];
  const wanted = wantedAt(requested, signer) ?? command.now;
  return [scheduledFrom(requested, { ...command, now: Math.max(wanted, command.now) })];
};

/**
 * When a signer is to be reminded, by day or night: hours after they were asked, sent the link or reminded, chose to continue,
 * or were to be sent all anew, whichever came last. Null where none of that is known.
 */
const wantedAt = (
  { reminders }: RequestedDocument,
  { askedAt, remindedAt, continuedAt, askedAnew }: Signer,
): number | null => {
  const last = [askedAt, remindedAt, continuedAt, askedAnew.at(-1) ?? null]
    .filter((at) => at !== null)
    .map((at) => Date.parse(at));
  if (!reminders || last.length === 0) return null;
  return Math.max(...last) + (remindedAt === null ? reminders.afterHours : reminders.everyHours) * HOUR_MS;
};

/** That a signer is to be reminded at a time, or at the next one that disturbs nobody. */
const scheduledFrom = (
  { timeZone: named, expiresAt }: RequestedDocument,
  { signerId, timeZone, now }: ScheduleReminder,
): DocumentEvent => {
  const dueMs = nextInDayHours(now, named ?? timeZone);
  const isTooLate = expiresAt !== null && dueMs >= Date.parse(expiresAt);
  const dueAt = isTooLate ? null : new Date(dueMs).toISOString();
  return { type: "ReminderScheduled", data: { signerId, dueAt }, personal: null };
};

/**
 * A new time for a reminder that is due, or is tried again: by day where it is night, and later where the signer was sent
 * something, or continued, since it was scheduled. Nothing where it may go now.
 */
export const putOff = (document: RequestedDocument, command: ScheduleReminder): DocumentEvent[] => {
  const wanted = Math.max(wantedAt(document, signerOf(document, command.signerId)) ?? command.now, command.now);
  return nextInDayHours(wanted, document.timeZone ?? command.timeZone) === command.now
    ? []
    : [scheduledFrom(document, { ...command, now: wanted })];
};
