export type { AppProcess, Readiness } from "./app-process.ts";
export { CallCounter, type CountedCalls, callsDuring, countingCalls } from "./calls.ts";
export { type Deployment, type DeploymentOptions, startDeployment, TWO_OF_EACH } from "./deployment.ts";
export {
  type DeploymentEngines,
  hasEngines,
  sayEngines,
  sayNotAsked,
  startEngines,
} from "./engines.ts";
export { isLocal, sayFaults, skipUnlessStopped } from "./faults-run.ts";
export { type NameServer, startNameServer } from "./name-server.ts";
export { type EngineFault, type NotedFault, notedFaults, noteFault } from "./noted-faults.ts";
export { type ReverseProxy, startReverseProxy } from "./reverse-proxy.ts";
export { appFor, examplePath, type RouteRow, routeTable } from "./route-table.ts";
export { whyInUse } from "./used-engines.ts";
export { type LifeSteps, type WholeLives, wholeLives } from "./whole-lives.ts";
