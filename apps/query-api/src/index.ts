export type { Freshness, QueryApiDependencies } from "./dependencies.ts";
export { queryApi } from "./query-api.ts";
