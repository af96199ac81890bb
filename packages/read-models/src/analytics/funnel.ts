import type { Row } from "./field.ts";

/** What signers are grouped by. */
export const funnelGroups = ["day", "campaign", "channel", "medium", "country"] as const;
export type FunnelGroupBy = (typeof funnelGroups)[number];

/** How many signers of a group came to each step, and of how many it can be known. */
export interface FunnelGroup {
  /** The day, channel, medium or country; the campaign's number. Null where there is none. */
  group: string | number | null;
  /** Whose campaign it is; null in other groupings. */
  accountId: string | null;
  requested: number;
  reached: number;
  /** Of those not reached by e-mail, which does not tell. */
  reachedOf: number;
  continued: number;
  /** Of those asked by the messaging app, which alone has buttons. */
  continuedOf: number;
  opened: number;
  identified: number;
  /** Of those whose photos are validated. */
  identifiedOf: number;
  signed: number;
  rejected: number;
  withdrawn: number;
  unreachable: number;
  /** Exact: of those who signed, from the request and from their own turn; the second is missing where no turn came. */
  msToSign: number[];
  msToSignFromTurn: number[];
}

const emptyGroup = (group: FunnelGroup["group"], accountId: string | null): FunnelGroup => ({
  group,
  accountId,
  requested: 0,
  reached: 0,
  reachedOf: 0,
  continued: 0,
  continuedOf: 0,
  opened: 0,
  identified: 0,
  identifiedOf: 0,
  signed: 0,
  rejected: 0,
  withdrawn: 0,
  unreachable: 0,
  msToSign: [],
  msToSignFromTurn: [],
});

const groupOf = (signer: Row, by: FunnelGroupBy, dayOf: (at: string) => string): FunnelGroup["group"] => {
  if (by === "day") return dayOf(String(signer.requestedAt));
  const value = signer[by === "campaign" ? "campaignId" : by];
  return typeof value === "boolean" || value === undefined ? null : value;
};

/** Counts a row of `signers` in, as the view `funnel` tells its steps: each that came counts those before it. */
export const countFunnel = (
  groups: Map<string, FunnelGroup>,
  signer: Row,
  by: FunnelGroupBy,
  dayOf: (at: string) => string,
): void => {
  const group = groupOf(signer, by, dayOf);
  const accountId = by === "campaign" && group !== null ? String(signer.accountId) : null;
  const key = JSON.stringify([group, accountId]);
  const counted = groups.get(key) ?? emptyGroup(group, accountId);
  groups.set(key, counted);
  const came = (step: number): number => Number(Number(signer.furthest) >= step);
  const [tellsArrival, hasButtons] = [signer.medium !== "email", signer.medium === "wpp"];
  counted.requested += 1;
  counted.reached += tellsArrival ? came(1) : 0;
  counted.reachedOf += Number(tellsArrival);
  counted.continued += hasButtons ? came(2) : 0;
  counted.continuedOf += Number(hasButtons);
  counted.opened += came(3);
  counted.identified += signer.identityRequired ? came(4) : 0;
  counted.identifiedOf += Number(signer.identityRequired);
  counted.signed += Number(signer.signedAt !== null);
  counted.rejected += Number(signer.rejectedAt !== null);
  counted.withdrawn += Number(signer.withdrawnAt !== null);
  counted.unreachable += Number(signer.state === "unreachable");
  if (typeof signer.msToSign === "number") counted.msToSign.push(signer.msToSign);
  if (typeof signer.msToSignFromTurn === "number") counted.msToSignFromTurn.push(signer.msToSignFromTurn);
};
