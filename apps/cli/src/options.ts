import { InvalidArgumentError } from "commander";

const MAX_CREDITS = 1_000_000_000;

/** A whole number of credits above zero. */
export const credits = (text: string): number => {
  const amount = Number(text);
  if (!/^\d+$/.test(text) || amount < 1 || amount > MAX_CREDITS) {
    throw new InvalidArgumentError(`It is a whole number from 1 to ${MAX_CREDITS}.`);
  }
  return amount;
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
