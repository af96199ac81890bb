export { type App, aborted, compose } from "./app.ts";
export { Ending } from "./ending.ts";
export { type Host, openHost } from "./host.ts";
export { explainListening, ListenError } from "./listen.ts";
export type { AppNeeds } from "./needs.ts";
export { ownAddress } from "./own-address.ts";
export { type AppProcess, runProcess, type Start, startApp } from "./process.ts";
export { engineChecks, projectedChecks, projectedMeasurements, readingChecks, writingChecks } from "./readiness.ts";
export { type Running, serve } from "./serve.ts";
