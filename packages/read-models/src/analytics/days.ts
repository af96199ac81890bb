const DAY_MS = 86_400_000;
/** No day of any time zone is longer. */
const LONGEST_DAY_MS = 2 * DAY_MS;
const MINUTE_MS = 60_000;

/** A part of a day that falls within a span: moments in UTC, ISO 8601 with milliseconds. */
export interface DayWithin {
  /** As 2026-11-21. */
  day: string;
  from: string;
  before: string;
}

/** Tells the day of a moment in a time zone (IANA), as 2026-11-21. */
export const dayIn = (timeZone: string): ((ms: number) => string) => {
  const format = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  return (ms) => format.format(ms);
};

/** The first minute in (from, before] that is another day than `from` is; undefined where all are the same. */
const nextDay = (dayOf: (ms: number) => string, from: number, before: number): number | undefined => {
  const day = dayOf(from);
  let [same, other] = [Math.floor(from / MINUTE_MS), Math.ceil(Math.min(from + LONGEST_DAY_MS, before) / MINUTE_MS)];
  if (dayOf(other * MINUTE_MS) === day) return undefined;
  while (other - same > 1) {
    const between = Math.floor((same + other) / 2);
    if (dayOf(between * MINUTE_MS) === day) same = between;
    else other = between;
  }
  return other * MINUTE_MS;
};

/** The days of a time zone (IANA) that a span has a part of, in order. */
export const daysWithin = (timeZone: string, { from, before }: { from: string; before: string }): DayWithin[] => {
  const dayOf = dayIn(timeZone);
  const end = Date.parse(before);
  const days: DayWithin[] = [];
  for (let at = Date.parse(from); at < end; ) {
    const next = Math.min(nextDay(dayOf, at, end) ?? end, end);
    days.push({ day: dayOf(at), from: new Date(at).toISOString(), before: new Date(next).toISOString() });
    at = next;
  }
  return days;
};

/** When a day (as 2026-11-21) begins in a time zone, in UTC; where the zone leaves it out, when the next one does. */
export const startOfDay = (day: string, timeZone: string): string => {
  const dayOf = dayIn(timeZone);
  const utc = Date.parse(day);
  let [before, there] = [(utc - LONGEST_DAY_MS) / MINUTE_MS, (utc + LONGEST_DAY_MS) / MINUTE_MS];
  while (there - before > 1) {
    const between = Math.floor((before + there) / 2);
    if (dayOf(between * MINUTE_MS) < day) before = between;
    else there = between;
  }
  return new Date(there * MINUTE_MS).toISOString();
};
