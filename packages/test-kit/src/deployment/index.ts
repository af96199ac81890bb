export type { AppProcess, Readiness } from "./app-process.ts";
export { type Deployment, type DeploymentOptions, startDeployment, TWO_OF_EACH } from "./deployment.ts";
export { type DeploymentEngines, hasEngines, sayEngines, startEngines } from "./engines.ts";
export { type ReverseProxy, startReverseProxy } from "./reverse-proxy.ts";
export { appFor, type RouteRow, routeTable } from "./route-table.ts";
