import { funnelGroups } from "@rubrica/read-models";
import { z } from "zod";

const MAX_DAYS = 366;
const DAY_MS = 86_400_000;
const moment = z.iso.datetime({ offset: true, error: "must be ISO 8601 with an offset, as 2027-01-31T18:00:00-03:00" });

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
};

/** What is asked of the funnel. */
export const FunnelQuery = z
  .object({
    from: moment.describe("Documents asked for at this moment or later, ISO 8601 with an offset"),
    to: moment.describe(`Asked for before this moment, at most ${MAX_DAYS} days later`),
    group_by: z.enum(funnelGroups).default("day").describe("A campaign is one of an account: they are numbered by it"),
    time_zone: z
      .string()
      .max(64)
      .refine(isTimeZone, "must be a time zone by its IANA name")
      .default("UTC")
      .describe("IANA: where a day begins"),
  })
  .superRefine(({ from, to }, context) => {
    const spanMs = Date.parse(to) - Date.parse(from);
    if (spanMs <= 0) context.addIssue({ code: "custom", path: ["to"], message: "must be later than from" });
    else if (spanMs > MAX_DAYS * DAY_MS)
      context.addIssue({ code: "custom", path: ["to"], message: `must be at most ${MAX_DAYS} days after from` });
  });

const known = (what: string) => z.int().nullable().describe(`${what}; null where it is known of none`);
const ofHowMany = (of: string) => z.int().describe(`Of how many that can be known: ${of}`);
const ms = (what: string) => z.int().nullable().describe(`${what}, exact, in milliseconds; null where nobody signed`);

const FunnelStep = z.object({
  group: z.union([z.string(), z.int()]).nullable().describe("Null: no campaign, not asked yet, or not known any more"),
  account_id: z.string().nullable().describe("Whose campaign it is; null in other groupings"),
  requested: z.int(),
  reached: known("A message is known to have reached their phone"),
  reached_of: ofHowMany("all but those asked by e-mail"),
  continued: known("They chose to continue"),
  continued_of: ofHowMany("those asked by the messaging app"),
  opened: z.int(),
  identified: known("Their photos were approved"),
  identified_of: ofHowMany("those whose photos are validated"),
  signed: z.int(),
  rejected: z.int(),
  withdrawn: z.int().describe("The document was taken back before they signed"),
  unreachable: z.int(),
  median_ms_to_sign: ms("From the request"),
  p90_ms_to_sign: ms("From the request"),
  median_ms_from_turn: ms("From their own turn"),
  p90_ms_from_turn: ms("From their own turn"),
});
export type FunnelStep = z.infer<typeof FunnelStep>;

export const Funnel = z
  .object({ groups: z.array(FunnelStep) })
  .meta({
    examples: [
      {
        groups: [
          {
            group: "2026-11-21",
            account_id: null,
            requested: 4,
            reached: 3,
            reached_of: 4,
            continued: 2,
            continued_of: 3,
            opened: 3,
            identified: null,
            identified_of: 0,
            signed: 2,
            rejected: 1,
            withdrawn: 0,
            unreachable: 0,
            median_ms_to_sign: 7_200_000,
            p90_ms_to_sign: 259_200_000,
            median_ms_from_turn: 7_199_000,
            p90_ms_from_turn: 259_199_000,
          },
        ],
      },
    ],
  })
  .describe("In the order of the groups. A step that came counts those before it.");
