import { dayIn } from "../analytics/days.ts";
import {
  type FunnelGroup,
  type FunnelQuestion,
  type FunnelStep,
  funnelSteps,
  inOrderOfGroups,
  percentilesOf,
} from "../analytics/funnel.ts";
import { groupFields, ofAccount } from "./funnel.ts";
import type { Records } from "./records.ts";

/** Zones begin their days at quarters of an hour. */
const QUARTER_MS = 900_000;
/** Records that are counted in one iteration of the event loop. */
const AT_ONCE = 200;

/** What is looked at of a signer; BSON's dates. */
interface SignerRow {
  accountId: string;
  campaignId: number | null;
  channel: string;
  requestedAt: Date;
  state: string;
  furthest: number;
  medium: string | null;
  country: string | null;
  identityRequired: boolean;
  signedAt: Date | null;
  rejectedAt: Date | null;
  withdrawnAt: Date | null;
  msToSign: number | null;
  msToSignFromTurn: number | null;
}

const lookedAt = [
  ...["accountId", "campaignId", "channel", "requestedAt", "state", "furthest", "medium", "country"],
  ...["identityRequired", "signedAt", "rejectedAt", "withdrawnAt", "msToSign", "msToSignFromTurn"],
];
const projection = Object.fromEntries(lookedAt.map((field) => [`rows.signers.${field}`, 1]));

interface Counting extends Pick<FunnelGroup, "group" | "accountId"> {
  steps: Record<FunnelStep, { came: number; of: number }>;
  ms: number[];
  msFromTurn: number[];
}

/** Counts the funnel in this process, for servers that lack the operators for it. */
export const countFunnelHere = async (records: Records, question: FunnelQuestion): Promise<FunnelGroup[]> => {
  const groups = new Map<string, Counting>();
  const groupOf = groupIn(question);
  for (const accountId of question.accountIds) {
    const found = records.find(ofAccount(accountId, question), { projection, batchSize: AT_ONCE });
    for await (const record of found) {
      // A document that is gone has none.
      const { rows } = record as unknown as { rows?: { signers?: SignerRow[] } };
      for (const signer of rows?.signers ?? []) count(groups, groupOf(signer), signer);
    }
  }
  const counted = [...groups.values()].map(
    ({ ms, msFromTurn, ...group }): FunnelGroup => ({
      ...group,
      msToSign: percentilesOf(ms),
      msToSignFromTurn: percentilesOf(msFromTurn),
    }),
  );
  return counted.sort(inOrderOfGroups);
};

type Group = Pick<FunnelGroup, "group" | "accountId">;

const groupIn = ({ groupBy, timeZone }: FunnelQuestion): ((signer: SignerRow) => Group) => {
  if (groupBy === "campaign")
    return ({ campaignId, accountId }) => ({ group: campaignId, accountId: campaignId === null ? null : accountId });
  if (groupBy !== "day") return (signer) => ({ group: signer[groupFields[groupBy]], accountId: null });
  const dayOf = dayIn(timeZone);
  const known = new Map<number, string>();
  return ({ requestedAt }) => {
    const quarter = Math.floor(requestedAt.getTime() / QUARTER_MS);
    const group = known.get(quarter) ?? dayOf(quarter * QUARTER_MS);
    known.set(quarter, group);
    return { group, accountId: null };
  };
};

/** Whether each step came; null where that can't be known. */
const stepsOf = (signer: SignerRow): Readonly<Record<FunnelStep, boolean | null>> => ({
  requested: true,
  reached: signer.medium === "email" ? null : signer.furthest >= 1,
  continued: signer.medium === "wpp" ? signer.furthest >= 2 : null,
  opened: signer.furthest >= 3,
  identified: signer.identityRequired ? signer.furthest >= 4 : null,
  signed: signer.signedAt !== null,
  rejected: signer.rejectedAt !== null,
  withdrawn: signer.withdrawnAt !== null,
  unreachable: signer.state === "unreachable",
});

const nothingCounted = (group: Group): Counting => ({
  ...group,
  steps: Object.fromEntries(funnelSteps.map((step) => [step, { came: 0, of: 0 }])) as Counting["steps"],
  ms: [],
  msFromTurn: [],
});

const count = (groups: Map<string, Counting>, group: Group, signer: SignerRow): void => {
  const key = JSON.stringify([group.group, group.accountId]);
  const counted = groups.get(key) ?? nothingCounted(group);
  groups.set(key, counted);
  const came = stepsOf(signer);
  for (const step of funnelSteps) {
    counted.steps[step].of += Number(came[step] !== null);
    counted.steps[step].came += Number(came[step] === true);
  }
  if (signer.msToSign !== null) counted.ms.push(signer.msToSign);
  if (signer.msToSignFromTurn !== null) counted.msFromTurn.push(signer.msToSignFromTurn);
};
