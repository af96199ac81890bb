import type { Reminders } from "@rubrica/events";
import { isTimeZoneName } from "@rubrica/identity";
import { z } from "zod";
import { optional } from "../schemas.ts";

const MAX_HOURS = 8_760;

/** The fields of a request that say when signers are reminded. */
export const reminderFields = {
  reminders: optional(
    z.object({
      after_hours: z
        .int()
        .min(1)
        .max(MAX_HOURS)
        .describe("Hours after the message that asks, or after the signer continued and got the link"),
      every_hours: z.int().min(12).max(MAX_HOURS).describe("Hours between reminders"),
      max: z.int().min(1).max(10).describe("How often at most"),
    }),
  ).describe("Reminds signers who were asked, from 9 to 20 o'clock; nobody when left out"),
  time_zone: optional(z.string().max(64).refine(isTimeZoneName, "must be an IANA time zone")).describe(
    "The signers' IANA time zone, for their reminders and where they read until when they can sign; that of each phone's country when left out",
  ),
};

/** What they say. */
export const remindersOf = (given: z.output<typeof reminderFields.reminders>): Reminders | null =>
  given ? { afterHours: given.after_hours, everyHours: given.every_hours, max: given.max } : null;
