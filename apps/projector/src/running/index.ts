export { type ProjectionBatch, ProjectionError } from "./fold.ts";
export { gathered } from "./gathered.ts";
export { type RebuildProgress, rebuildProjections } from "./rebuild.ts";
export {
  createProjectionRunner,
  type ProjectionRunner,
  type ProjectionRunnerOptions,
  type ProjectionSource,
} from "./runner.ts";
