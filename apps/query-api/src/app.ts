import type { App, Host } from "@rubrica/hosting";
import { projectedChecks, projectedMeasurements } from "@rubrica/hosting/readiness";
import type { Stores } from "@rubrica/open-engines";
import { publicFileTokens } from "@rubrica/secrets";
import type { QueryApiDependencies } from "./dependencies.ts";
import { namesIn, peopleIn, reasonIn } from "./people.ts";
import { queryApi } from "./query-api.ts";

/** What the query API may share with other apps of its process. */
export type QueryApiParts = Pick<QueryApiDependencies, "accounts" | "reports">;

/** Opens the query API: its routes. */
export const openQueryApi = (host: Host<Stores>, parts: QueryApiParts): App => {
  const { runtime, engines, publicUrl } = host;
  const { events, journal, readModels, freshness, files, secrets, customIdHmac } = engines;
  const { clock } = runtime;
  const fileTokens = publicFileTokens(secrets);
  const stores = {
    events,
    readModels,
    freshness,
    files,
    fileTokens,
    customIdHmac,
    peopleOf: peopleIn(journal),
    namesOf: namesIn(journal),
    reasonOf: reasonIn(journal),
  };
  return {
    routes: queryApi({ ...parts, ...stores, clock, publicUrl }),
    checks: projectedChecks(host),
    measurements: projectedMeasurements(host),
  };
};
