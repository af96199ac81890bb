const FIRST_HOUR = 9;
const LAST_HOUR = 20;
const HOUR_MS = 3_600_000;

/** More than there are zones: their names may be written in other cases. */
const MAX_CLOCKS = 1_000;
/** To make one takes far longer than to ask it. */
const clocks = new Map<string, Intl.DateTimeFormat>();

const clockIn = (timeZone: string): Intl.DateTimeFormat => {
  const known = clocks.get(timeZone);
  if (known) return known;
  const clock = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  if (clocks.size >= MAX_CLOCKS) clocks.clear();
  clocks.set(timeZone, clock);
  return clock;
};

/** What a clock in a time zone (IANA) shows, as if it stood in UTC. */
const shownAt = (ms: number, timeZone: string): number => {
  const parts = clockIn(timeZone).formatToParts(ms);
  const of = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
};

/** When a clock in the time zone shows that; where it never does, since it is set forward, what it shows instead. */
const whenShown = (shown: number, timeZone: string): number => {
  const near = shown - (shownAt(shown, timeZone) - shown);
  return shown - (shownAt(near, timeZone) - near);
};

/**
 * The moment (milliseconds since the UNIX epoch), or the next one at which nobody is disturbed: from 9 to 20 o'clock in the
 * time zone, an IANA name.
 */
export const nextInDayHours = (ms: number, timeZone: string): number => {
  const shown = shownAt(ms, timeZone);
  const midnight = shown - (shown % (24 * HOUR_MS));
  const sinceMidnight = shown - midnight;
  if (sinceMidnight >= FIRST_HOUR * HOUR_MS && sinceMidnight < LAST_HOUR * HOUR_MS) return ms;
  const day = sinceMidnight < FIRST_HOUR * HOUR_MS ? midnight : midnight + 24 * HOUR_MS;
  return whenShown(day + FIRST_HOUR * HOUR_MS, timeZone);
};
