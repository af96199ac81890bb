import { isTimeZoneName } from "@rubrica/identity";
import { type FunnelGroup as Counted, funnelGroups, startOfDay } from "@rubrica/read-models";
import { z } from "zod";

const MAX_DAYS = 366;
const DAY_MS = 86_400_000;
const momentOf = (description: string) =>
  z
    .union([z.iso.date(), z.iso.datetime({ offset: true })], {
      error: "must be a date, as 2027-01-31, or ISO 8601 with an offset, as 2027-01-31T18:00:00-03:00",
    })
    .describe(description);

/** As MongoDB takes it too, which tells letters' cases. */
const asWritten = (zone: string): string =>
  new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;

/** When documents were asked for: at `from` or later, before `before`. UTC, ISO 8601 with milliseconds. */
export const spanOf = ({ from, to, time_zone }: { from: string; to: string; time_zone: string }) => {
  const moment = (at: string) => (at.includes("T") ? new Date(at).toISOString() : startOfDay(at, time_zone));
  return { from: moment(from), before: moment(to) };
};

/** What is asked of the funnel. */
export const FunnelQuery = z
  .object({
    from: momentOf(
      "Documents asked for at this moment or later: a date, which begins in `time_zone`, or ISO 8601 with an offset",
    ),
    to: momentOf(`Asked for before this moment, or before this date begins: at most ${MAX_DAYS} days later`),
    group_by: z
      .enum(funnelGroups, { error: `must be one of ${funnelGroups.join(", ")}` })
      .default("day")
      .describe("A campaign is one of an account: they are numbered by it"),
    time_zone: z
      .string()
      .max(64)
      .refine(isTimeZoneName, { error: "must be a time zone by its IANA name, as America/Montevideo", abort: true })
      .overwrite(asWritten)
      .default("UTC")
      .describe("IANA: where a day begins"),
  })
  .superRefine((query, context) => {
    const { from, before } = spanOf(query);
    const refuse = (message: string) => context.addIssue({ code: "custom", path: ["to"], message });
    if (before <= from) refuse("must be later than from");
    // Dates are counted as dates: a year of a time zone may be an hour longer.
    else if (Date.parse(query.to) - Date.parse(query.from) > MAX_DAYS * DAY_MS)
      refuse(`must be at most ${MAX_DAYS} days after from`);
  });
export type FunnelQuery = z.output<typeof FunnelQuery>;

const known = (what: string) => z.int().nullable().describe(`${what}; null where it is known of none`);
const ofHowMany = (of: string) => z.int().describe(`Of how many that can be known: ${of}`);
const ms = (what: string) => z.int().nullable().describe(`${what}, exact, in milliseconds; null where nobody signed`);

/** Its names are those of the columns of CSV, in their order. */
export const FunnelGroup = z.object({
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
export type FunnelGroup = z.infer<typeof FunnelGroup>;

export const funnelGroupOf = ({ group, accountId, steps, msToSign, msToSignFromTurn }: Counted): FunnelGroup => {
  const known = ({ came, of }: { came: number; of: number }): number | null => (of > 0 ? came : null);
  return {
    group,
    account_id: accountId,
    requested: steps.requested.came,
    reached: known(steps.reached),
    reached_of: steps.reached.of,
    continued: known(steps.continued),
    continued_of: steps.continued.of,
    opened: steps.opened.came,
    identified: known(steps.identified),
    identified_of: steps.identified.of,
    signed: steps.signed.came,
    rejected: steps.rejected.came,
    withdrawn: steps.withdrawn.came,
    unreachable: steps.unreachable.came,
    median_ms_to_sign: msToSign.median,
    p90_ms_to_sign: msToSign.p90,
    median_ms_from_turn: msToSignFromTurn.median,
    p90_ms_from_turn: msToSignFromTurn.p90,
  };
};

export const Funnel = z
  .object({ groups: z.array(FunnelGroup) })
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
