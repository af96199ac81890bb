import {
  type FunnelGroup,
  type FunnelQuestion,
  type FunnelStep,
  funnelSteps,
  inOrderOfGroups,
} from "../analytics/funnel.ts";
import { ANALYTICS_FIELD, analyticsWithin } from "../analytics/record.ts";
import { entryPath, type Records } from "./records.ts";

/** By what field signers are grouped, but by day. */
export const groupFields = {
  campaign: "campaignId",
  channel: "channel",
  medium: "medium",
  country: "country",
} as const;
const AT = "$rows.signers.";
const isThere = (field: string) => ({ $ne: [`${AT}${field}`, null] });
const cameTo = (step: number) => ({ $gte: [`${AT}furthest`, step] });

/** When a step came, and of whom it can be known where that is not all: as the view `funnel` has it. */
const steps: Readonly<Record<FunnelStep, { came: unknown; of?: unknown }>> = {
  requested: { came: true },
  reached: { came: cameTo(1), of: { $ne: [`${AT}medium`, "email"] } },
  continued: { came: cameTo(2), of: { $eq: [`${AT}medium`, "wpp"] } },
  opened: { came: cameTo(3) },
  identified: { came: cameTo(4), of: `${AT}identityRequired` },
  signed: { came: isThere("signedAt") },
  rejected: { came: isThere("rejectedAt") },
  withdrawn: { came: isThere("withdrawnAt") },
  unreachable: { came: { $eq: [`${AT}state`, "unreachable"] } },
};

/** Records of an account that were asked for within the time. */
export const ofAccount = (accountId: string, { from, before }: FunnelQuestion) => {
  const { after, upTo } = analyticsWithin(accountId, from, before);
  return { [entryPath(ANALYTICS_FIELD)]: { $gt: after, $lte: upTo } };
};

const groupedBy = ({ groupBy, timeZone }: FunnelQuestion) =>
  groupBy === "day"
    ? { group: { $dateToString: { date: `${AT}requestedAt`, format: "%Y-%m-%d", timezone: timeZone } } }
    : groupBy === "campaign"
      ? { group: `${AT}campaignId`, accountId: { $cond: [isThere("campaignId"), `${AT}accountId`, null] } }
      : { group: `${AT}${groupFields[groupBy]}` };

const percentile = (values: string, part: number) => ({
  $arrayElemAt: [values, { $subtract: [{ $ceil: { $multiply: [{ $size: values }, part] } }, 1] }],
});
const sorted = (values: string) => ({
  $sortArray: { input: { $filter: { input: values, cond: { $ne: ["$$this", null] } } }, sortBy: 1 },
});

/** Counts the funnel in the server. */
export const funnelPipeline = (question: FunnelQuestion): Record<string, unknown>[] => {
  const counts = funnelSteps.flatMap((step) => {
    const { came, of = true } = steps[step];
    return [
      [`${step}`, { $sum: { $cond: [{ $and: [of, came] }, 1, 0] } }],
      [`${step}Of`, { $sum: { $cond: [of, 1, 0] } }],
    ];
  });
  const lists = { ms: { $push: `${AT}msToSign` }, msFromTurn: { $push: `${AT}msToSignFromTurn` } };
  return [
    { $match: { $or: question.accountIds.map((accountId) => ofAccount(accountId, question)) } },
    { $unwind: "$rows.signers" },
    { $group: { _id: groupedBy(question), ...Object.fromEntries(counts), ...lists } },
    { $set: { ms: sorted("$ms"), msFromTurn: sorted("$msFromTurn") } },
    {
      $set: {
        ms: { median: percentile("$ms", 0.5), p90: percentile("$ms", 0.9) },
        msFromTurn: { median: percentile("$msFromTurn", 0.5), p90: percentile("$msFromTurn", 0.9) },
      },
    },
  ];
};

/** Of what {@link funnelPipeline} gives. */
export const groupsOf = (found: readonly Record<string, unknown>[]): FunnelGroup[] => {
  const percentiles = (of: unknown) => {
    const { median = null, p90 = null } = of as { median?: number | null; p90?: number | null };
    return { median, p90 };
  };
  const groups = found.map((one): FunnelGroup => {
    const { group = null, accountId = null } = one._id as Partial<Pick<FunnelGroup, "group" | "accountId">>;
    return {
      group,
      accountId,
      steps: Object.fromEntries(
        funnelSteps.map((step) => [step, { came: one[step] as number, of: one[`${step}Of`] as number }]),
      ) as FunnelGroup["steps"],
      msToSign: percentiles(one.ms),
      msToSignFromTurn: percentiles(one.msFromTurn),
    };
  });
  return groups.sort(inOrderOfGroups);
};

export const countFunnelInServer = async (records: Records, question: FunnelQuestion): Promise<FunnelGroup[]> =>
  groupsOf(await records.aggregate(funnelPipeline(question), { allowDiskUse: true }).toArray());
