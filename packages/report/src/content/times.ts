import { madeOnce } from "@rubrica/runtime";
import type { ReportTexts } from "../texts.ts";

const two = (value: number): string => String(value).padStart(2, "0");

/** `21/11/2026 15:04:05`, in UTC. Takes milliseconds since the UNIX epoch, or ISO 8601. */
export const utcTime = (moment: string | number): string => {
  const at = new Date(moment);
  if (Number.isNaN(at.getTime())) return String(moment);
  const date = `${two(at.getUTCDate())}/${two(at.getUTCMonth() + 1)}/${at.getUTCFullYear()}`;
  return `${date} ${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}`;
};

/** The same to the millisecond. */
export const utcMilliseconds = (moment: string): string => {
  const milliseconds = /\.(\d{3})Z$/.exec(moment)?.[1];
  return milliseconds ? `${utcTime(moment)}.${milliseconds}` : utcTime(moment);
};

/** A moment for a sentence: `21/11/2026 15:04:05 UTC`. */
export const saidTime = (moment: string | number, { utc }: ReportTexts): string => `${utcTime(moment)} ${utc}`;

/** A moment in UTC, and on the signer's clock where that is known and another. */
export const signersTime = (moment: string, timeZone: string | null, texts: ReportTexts): string => {
  const said = `${utcMilliseconds(moment)} ${texts.utc}`;
  const local = timeZone && localTime(moment, timeZone);
  return local ? `${said}  (${local})` : said;
};

/** To make one takes far longer than to ask it. More than there are zones: their names may be written in other cases. */
const formatIn = madeOnce(
  1_000,
  (timeZone) =>
    new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "short", timeStyle: "medium", hourCycle: "h23" }),
);

const localTime = (moment: string, timeZone: string): string | null => {
  try {
    return `${formatIn(timeZone).format(new Date(moment)).replace(",", "")} ${timeZone}`;
  } catch {
    return null;
  }
};
