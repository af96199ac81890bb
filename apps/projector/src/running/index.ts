export { gathered } from "./gathered.ts";
export { type ProjectionBatch, ProjectionError } from "./projection-pass.ts";
export { type RebuildProgress, rebuildProjections } from "./rebuild.ts";
export {
  createProjectionRunner,
  type ProjectionRunner,
  type ProjectionRunnerOptions,
  type ProjectionSource,
} from "./runner.ts";
