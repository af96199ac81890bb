// What a process of apps is: what it is given, how it is composed, served, measured and ended.
// It must not know any app's routes and rules; `shared` opens what several apps use.

export { type App, aborted, compose } from "./app.ts";
export { Ending } from "./ending.ts";
export { type Host, openHost } from "./host.ts";
export { explainListening, ListenError } from "./listen.ts";
export { metricNames } from "./metrics/definitions.ts";
export type { Measured, Measurements } from "./metrics/metrics.ts";
export type { AppNeeds } from "./needs.ts";
export { ownAddress } from "./own-address.ts";
export { type AppProcess, runProcess, type Start, startApp } from "./process.ts";
export { type Running, serve } from "./serve.ts";
export { causesByName } from "./unmet.ts";
