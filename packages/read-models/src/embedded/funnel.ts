import type { DatabaseSync } from "node:sqlite";
import { daysWithin } from "../analytics/days.ts";
import {
  type FunnelGroup,
  type FunnelQuestion,
  funnelSteps,
  inOrderOfGroups,
  percentilesOf,
} from "../analytics/funnel.ts";
import { analyticTables } from "../analytics/tables.ts";
import { LIVE } from "./statements.ts";
import { storedName } from "./tables.ts";

const columns = {
  campaign: "campaign_id",
  channel: "channel",
  medium: "medium",
  country: "country",
} as const;

const counts = funnelSteps.map((step) => `sum(${step}) AS ${step}, count(${step}) AS ${step}_of`).join(", ");
const listOf = (column: string): string => `json_group_array(${column}) FILTER (WHERE ${column} IS NOT NULL)`;

/** As the view `funnel` has them, of the signers of some accounts, within a time; each made once, so that little is sorted. */
const funnelOf = (generation: number): string => `
  WITH signers AS (
    SELECT * FROM ${storedName(generation, analyticTables.signers)}
    WHERE account_id IN (SELECT value FROM json_each(?)) AND requested_at >= ? AND requested_at < ?)
  SELECT * FROM (${analyticTables.funnel.select} LIMIT -1)`;

const statementOf = (generation: number, group: string): string => `
  SELECT ${group}, ${counts}, ${listOf("ms_to_sign")} AS ms, ${listOf("ms_to_sign_from_turn")} AS ms_from_turn
  FROM (${funnelOf(generation)})`;

/** Counts the funnel of a collection's live generation as it is at one moment. */
export const countFunnelIn = (
  database: DatabaseSync,
  collection: readonly [name: string, version: number],
  question: FunnelQuestion,
): FunnelGroup[] => {
  database.exec("BEGIN");
  try {
    const live = database.prepare(`SELECT ${LIVE} AS number`).get(...collection)?.number as number | null;
    return live === null ? [] : rowsOf(database, live, question).map(groupOf).sort(inOrderOfGroups);
  } finally {
    database.exec("COMMIT");
  }
};

const rowsOf = (database: DatabaseSync, generation: number, question: FunnelQuestion): Record<string, unknown>[] => {
  const { accountIds, from, before, groupBy, timeZone } = question;
  const accounts = JSON.stringify(accountIds);
  if (groupBy === "day") {
    const counted = database.prepare(statementOf(generation, "? AS grouped, NULL AS account"));
    const days = daysWithin(timeZone, { from, before });
    return days
      .flatMap((one) => counted.all(one.day, accounts, one.from, one.before))
      .filter(({ requested }) => requested !== null);
  }
  const column = columns[groupBy];
  const account = groupBy === "campaign" ? `CASE WHEN ${column} IS NOT NULL THEN account_id END` : "NULL";
  const grouped = statementOf(generation, `${column} AS grouped, ${account} AS account`);
  return database.prepare(`${grouped} GROUP BY 1, 2`).all(accounts, from, before);
};

const groupOf = (row: Record<string, unknown>): FunnelGroup => ({
  group: row.grouped as FunnelGroup["group"],
  accountId: row.account as string | null,
  steps: Object.fromEntries(
    funnelSteps.map((step) => [step, { came: Number(row[step]), of: Number(row[`${step}_of`]) }]),
  ) as FunnelGroup["steps"],
  msToSign: percentilesOf(JSON.parse(row.ms as string) as number[]),
  msToSignFromTurn: percentilesOf(JSON.parse(row.ms_from_turn as string) as number[]),
});
