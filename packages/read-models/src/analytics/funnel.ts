/** What signers are grouped by. */
export const funnelGroups = ["day", "campaign", "channel", "medium", "country"] as const;
export type FunnelGroupBy = (typeof funnelGroups)[number];

/** Whose signers are counted, and how. */
export interface FunnelQuestion {
  accountIds: readonly string[];
  /** Asked for at this moment or later: UTC, ISO 8601 with milliseconds. */
  from: string;
  /** Asked for before this moment. */
  before: string;
  groupBy: FunnelGroupBy;
  /** Where a day begins, by its IANA name. */
  timeZone: string;
}

/** The steps that are counted, in order. */
export const funnelSteps = [
  "requested",
  "reached",
  "continued",
  "opened",
  "identified",
  "signed",
  "rejected",
  "withdrawn",
  "unreachable",
] as const;
export type FunnelStep = (typeof funnelSteps)[number];

/** How many came to a step, of how many it can be known. */
export interface StepCount {
  came: number;
  of: number;
}

/** Exact: the smallest value that half of all, or nine tenths, do not exceed; null of none. */
export interface Percentiles {
  median: number | null;
  p90: number | null;
}

/** How many signers of a group came to each step, as the view `funnel` tells steps. */
export interface FunnelGroup {
  /** The day, channel, medium or country; the campaign's number. Null where there is none. */
  group: string | number | null;
  /** Whose campaign it is; null in other groupings. */
  accountId: string | null;
  steps: Readonly<Record<FunnelStep, StepCount>>;
  /** Of those who signed, from the request. */
  msToSign: Percentiles;
  /** From their own turn; whose turn never came is left out. */
  msToSignFromTurn: Percentiles;
}

export const percentilesOf = (values: readonly number[]): Percentiles => {
  const sorted = Float64Array.from(values).sort();
  const at = (part: number): number | null => sorted[Math.ceil(sorted.length * part) - 1] ?? null;
  return { median: at(0.5), p90: at(0.9) };
};

/** Numbers as numbers, then texts, then null. */
export const inOrderOfGroups = (one: FunnelGroup, other: FunnelGroup): number =>
  compare(one.group, other.group) || compare(one.accountId, other.accountId);

const compare = (a: FunnelGroup["group"], b: FunnelGroup["group"]): number => {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a < b ? -1 : Number(a > b);
};
