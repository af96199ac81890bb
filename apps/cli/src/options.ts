import { MAX_RETENTION_DAYS } from "@rubrica/config";
import { lineFault } from "@rubrica/domain";
import { type Reminders, WebhookType } from "@rubrica/events";
import { InvalidArgumentError } from "commander";

const MAX_CREDITS = 1_000_000_000;
const MAX_NAME_LENGTH = 200;
const MAX_KEY_NAME_LENGTH = 100;
const MAX_MESSAGE_LENGTH = 1_000;

/** A line that people read, without the blanks around it. */
const shown = (text: string, longest: number): string => {
  const trimmed = text.trim();
  const fault = lineFault(trimmed);
  if (fault) throw new InvalidArgumentError(`It is text of 1 to ${longest} characters: it ${fault}.`);
  if (trimmed.length > longest) throw new InvalidArgumentError(`It is text of 1 to ${longest} characters.`);
  return trimmed;
};

/** The name of an account or a campaign. */
export const name = (text: string): string => shown(text, MAX_NAME_LENGTH);

/** What an API key is for. */
export const keyName = (text: string): string => shown(text, MAX_KEY_NAME_LENGTH);

/** The message of a campaign. */
export const message = (text: string): string => shown(text, MAX_MESSAGE_LENGTH);

/** A whole number above zero. */
const wholeNumber =
  (most: number) =>
  (text: string): number => {
    const count = Number(text);
    if (!/^\d+$/.test(text) || count < 1 || count > most) {
      throw new InvalidArgumentError(`It is a whole number from 1 to ${most}.`);
    }
    return count;
  };

/** Credits. */
export const credits = wholeNumber(MAX_CREDITS);

/** Days until a document is erased. */
export const days = wholeNumber(MAX_RETENTION_DAYS);

/** Days until which a document can be signed. */
export const expiryDays = wholeNumber(3_650);

/** Hours for which a phone is held: a year at most. */
export const holdHours = wholeNumber(8_760);

/** When signers are reminded: hours after the message, hours between, how often. */
export const reminders = (text: string): Reminders => {
  const [afterHours = 0, everyHours = 0, max = 0, ...more] = text.split(",").map((part) => wholeNumber(8_760)(part));
  if (more.length > 0 || afterHours < 1 || everyHours < 12 || max < 1 || max > 10) {
    throw new InvalidArgumentError("It is hours after the message, hours between (12 or more), how often (1 to 10).");
  }
  return { afterHours, everyHours, max };
};

/** Kinds of webhooks. */
export const webhookTypes = (text: string): WebhookType[] => {
  const types = text.split(",").map((type) => WebhookType.safeParse(type.trim()).data);
  if (types.includes(undefined)) throw new InvalidArgumentError(`They are of ${WebhookType.options.join(", ")}.`);
  return [...new Set(types.filter((type) => type !== undefined))];
};

/** An id as commands print it. */
export const uuid = (text: string): string => {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) throw new InvalidArgumentError("It is a UUID.");
  return text.toLowerCase();
};

/** "yes" or "no". */
export const yesOrNo = (text: string): boolean => {
  if (text !== "yes" && text !== "no") throw new InvalidArgumentError("It is yes or no.");
  return text === "yes";
};
