import { badRequest, callerOf, type HttpPlugin, NotYetThere } from "@rubrica/http";
import {
  ANALYTICS_FIELD,
  type AnalyticsRecord,
  analytics,
  analyticsWithin,
  countFunnel,
  type FunnelGroup,
  signerRowsOf,
} from "@rubrica/read-models";
import type { z } from "zod";
import type { QueryApiDependencies } from "./dependencies.ts";
import { FRESHNESS_TIMEOUT_MS } from "./find-document.ts";
import { Funnel, FunnelQuery, type FunnelStep } from "./funnel-schemas.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { errorOf, notYet } from "./schemas.ts";

type Dependencies = Pick<QueryApiDependencies, "accounts" | "events" | "readModels" | "freshness">;

/** Documents that are counted in one turn of the event loop. */
const AT_ONCE = 50;

/** The records of an account's documents that were asked for within a time, in turns of the event loop. */
async function* recordsOf(
  readModels: Dependencies["readModels"],
  accountId: string,
  { from, to }: Pick<z.output<typeof FunnelQuery>, "from" | "to">,
): AsyncGenerator<AnalyticsRecord> {
  const [first, last] = [from, to].map((at) => new Date(at).toISOString());
  const within = analyticsWithin(accountId, first ?? "", last ?? "");
  for (let { after } = within; ; ) {
    const range = { after, upTo: within.upTo, limit: AT_ONCE };
    const found = await readModels.findRange<AnalyticsRecord>(analytics, ANALYTICS_FIELD, range);
    for (const { document } of found) yield document;
    const end = found.at(-1);
    if (!end || found.length < AT_ONCE) return;
    after = end.document.byAccount;
    await new Promise(setImmediate);
  }
}

/** The day of a moment in a time zone, as 2026-11-21. Zones begin their days at quarters of an hour: one is asked once. */
const dayIn = (timeZone: string): ((at: string) => string) => {
  const days = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  const known = new Map<string, string>();
  return (at) => {
    const quarter = `${at.slice(0, 14)}${Math.floor(Number(at.slice(14, 16)) / 15)}`;
    const day = known.get(quarter) ?? days.format(new Date(at));
    known.set(quarter, day);
    return day;
  };
};

/** The smallest value that this part of all does not exceed; null of none. */
const percentile = (values: readonly number[], part: number): number | null =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? null;

const bodyOf = (counted: FunnelGroup): FunnelStep => ({
  group: counted.group,
  account_id: counted.accountId,
  requested: counted.requested,
  reached: counted.reachedOf > 0 ? counted.reached : null,
  reached_of: counted.reachedOf,
  continued: counted.continuedOf > 0 ? counted.continued : null,
  continued_of: counted.continuedOf,
  opened: counted.opened,
  identified: counted.identifiedOf > 0 ? counted.identified : null,
  identified_of: counted.identifiedOf,
  signed: counted.signed,
  rejected: counted.rejected,
  withdrawn: counted.withdrawn,
  unreachable: counted.unreachable,
  median_ms_to_sign: percentile(counted.msToSign, 0.5),
  p90_ms_to_sign: percentile(counted.msToSign, 0.9),
  median_ms_from_turn: percentile(counted.msToSignFromTurn, 0.5),
  p90_ms_from_turn: percentile(counted.msToSignFromTurn, 0.9),
});

/** Numbers as numbers, then texts, then null. */
const inOrder = ({ group: a }: FunnelGroup, { group: b }: FunnelGroup): number => {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a < b ? -1 : Number(a > b);
};

/** `GET /api/v2/analytics/funnel`: how far signers came, of the account's and its team's documents. */
export const funnel =
  (dependencies: Dependencies): HttpPlugin =>
  async (app) => {
    const inTurn = oneAtATime();
    /** Counting takes a turn of the event loop for every {@link AT_ONCE} documents. */
    const count = async (accountId: string, query: z.output<typeof FunnelQuery>): Promise<FunnelStep[]> => {
      const { accounts, readModels } = dependencies;
      const groups = new Map<string, FunnelGroup>();
      const dayOf = dayIn(query.time_zone);
      for (const owner of [accountId, ...(await accounts.teammatesOf(accountId))])
        for await (const record of recordsOf(readModels, owner, query))
          for (const signer of signerRowsOf(record)) countFunnel(groups, signer, query.group_by, dayOf);
      return [...groups.values()].sort(inOrder).map(bodyOf);
    };
    app.get(
      "/api/v2/analytics/funnel",
      {
        schema: {
          tags: ["analytics"],
          operationId: "funnel",
          summary: "How far signers come",
          description:
            "Of the account and its team, by the time of the request: how many signers came to each step, and how long they took. " +
            "Sees every earlier answer.",
          querystring: FunnelQuery,
          response: {
            200: Funnel,
            400: badRequest({ path: "to", message: "must be later than from" }, "It is not understood."),
            500: errorOf({ error: "Internal Server Error" }, "Something failed on this side."),
            503: notYet,
          },
        },
      },
      async (request) => {
        const { accountId } = callerOf(request);
        const { events, freshness } = dependencies;
        const head = await events.head();
        if (head && !(await freshness.waitFor(analytics, head, FRESHNESS_TIMEOUT_MS))) throw new NotYetThere();
        return { groups: await inTurn(accountId, () => count(accountId, request.query)) };
      },
    );
  };
