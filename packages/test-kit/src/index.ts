// What tests share: a service in a process, engines as processes, doubles of providers, a client, a browser, samples.
// It must not be loaded by the service.

export {
  type Answer,
  type DocumentAccepted,
  type RubricaClient,
  rubricaClient,
  type SimulatedMessage,
  saysNotYet,
} from "./client.ts";
export { type CommandLineEnd, runCommandLine, startCommandLine } from "./command-line.ts";
export { leastThreadSeconds, threadWorkWhile } from "./event-loop.ts";
export {
  type EventLoopReport,
  eventLoopOf,
  eventLoopWatch,
  WATCHED_HEADER,
  type Watched,
  type WatchedTask,
} from "./event-loop-report.ts";
export { allUnder, temporaryFolder, unlessGone } from "./folders.ts";
export { type SamplePhotoKind, samplePhoto } from "./photos.ts";
export { eventually, HANGING_MS } from "./polling.ts";
export { freePort, listeningPort } from "./ports.ts";
export { repository, startOf } from "./repository.ts";
export { type SignerFields, sampleDrawing, samplePdf, sampleSigner } from "./samples.ts";
export {
  type ProcessEnd,
  runtimeFlags,
  type ServiceProcess,
  ServiceProcessEnded,
  type ServiceProcessOptions,
  spawnService,
  startServiceProcess,
  UNLIMITED,
} from "./service-process.ts";
export { standStill } from "./standing.ts";
export { hasPythonModule, noteMissing, outputOf, pathOf, python, toolsMissing } from "./tools.ts";
export { followWarningsOf, noteWarning, noteWarningsIn, takeWarnings, warningsIn } from "./warnings.ts";
