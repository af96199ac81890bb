import { MAX_RETENTION_DAYS } from "@rubrica/config";
import { lineFault } from "@rubrica/domain";
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

/** A whole number of credits above zero. */
export const credits = (text: string): number => {
  const amount = Number(text);
  if (!/^\d+$/.test(text) || amount < 1 || amount > MAX_CREDITS) {
    throw new InvalidArgumentError(`It is a whole number from 1 to ${MAX_CREDITS}.`);
  }
  return amount;
};

/** A whole number of days above zero. */
export const days = (text: string): number => {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > MAX_RETENTION_DAYS) {
    throw new InvalidArgumentError(`It is a whole number from 1 to ${MAX_RETENTION_DAYS}.`);
  }
  return count;
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
