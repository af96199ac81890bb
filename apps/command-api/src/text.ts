import { z } from "zod";

/** What shows nothing, or breaks a line, in messages and on documents. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;

/** A line of text that people read: not blank, at most `maxLength` code points, no control characters. */
export const lineOfText = (maxLength: number) =>
  z
    .string()
    .refine((value) => value.trim() !== "", "must not be empty")
    .refine((value) => value.isWellFormed() && !CONTROL.test(value), "must not hold control characters")
    // Counts code points.
    .max(maxLength, `must have at most ${maxLength} characters`);
