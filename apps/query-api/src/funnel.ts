import { badRequest, callerOf, type HttpPlugin } from "@rubrica/http";
import { analytics, csvLine } from "@rubrica/read-models";
import { KeyedLimiter } from "@rubrica/runtime";
import { z } from "zod";
import type { QueryApiDependencies } from "./dependencies.ts";
import { Funnel, FunnelGroup, FunnelQuery, funnelGroupOf, spanOf } from "./funnel-schemas.ts";
import { errorOf, notYet } from "./schemas.ts";
import { upToNow } from "./up-to-now.ts";

type Dependencies = Pick<QueryApiDependencies, "accounts" | "events" | "readModels" | "freshness">;

const CSV = "text/csv";
const columns = Object.keys(FunnelGroup.shape) as (keyof FunnelGroup)[];

const csvOf = (groups: readonly FunnelGroup[]): string =>
  [columns, ...groups.map((group) => columns.map((column) => group[column]))].map(csvLine).join("");

const prefersCsv = (accept = ""): boolean => /^\s*text\/csv\s*(?:[;,]|$)/i.test(accept);

const schema = {
  tags: ["analytics"],
  operationId: "funnel",
  summary: "How far signers come",
  description:
    "Of the account and its team, by the time of the request: how many signers came to each step, and how long they took. " +
    "Answers in JSON; where `Accept` begins with `text/csv`, with the groups as lines of CSV, by the same names. Sees every earlier answer.",
  querystring: FunnelQuery,
  response: {
    200: {
      description: "In the order of the groups. A step that came counts those before it.",
      content: {
        "application/json": { schema: Funnel },
        [CSV]: { schema: z.string().describe("RFC 4180: a line of names, a line for each group; null is empty") },
      },
    },
    400: badRequest({ path: "to", message: "must be later than from" }, "It is not understood."),
    500: errorOf({ error: "Internal Server Error" }, "Something failed on this side."),
    503: notYet,
  },
};

/** `GET /api/v2/analytics/funnel`: how far signers came, of the account's and its team's documents. */
export const funnel =
  ({ accounts, events, readModels, freshness }: Dependencies): HttpPlugin =>
  async (app) => {
    // Whoever asks for much at once waits for nobody but themselves.
    const lines = new KeyedLimiter(() => 1);
    const count = async (accountId: string, query: FunnelQuery): Promise<FunnelGroup[]> => {
      const accountIds = [accountId, ...(await accounts.teammatesOf(accountId))];
      const { group_by: groupBy, time_zone: timeZone } = query;
      const question = { accountIds, ...spanOf(query), groupBy, timeZone };
      return (await readModels.countFunnel(analytics, question)).map(funnelGroupOf);
    };
    app.get("/api/v2/analytics/funnel", { schema }, async (request, reply) => {
      const { accountId } = callerOf(request);
      await upToNow({ events, freshness }, analytics);
      const groups = await lines.run(accountId, () => count(accountId, request.query));
      reply.header("vary", "accept");
      if (!prefersCsv(request.headers.accept)) return { groups };
      return reply.type(`${CSV}; charset=utf-8`).send(csvOf(groups));
    });
  };
