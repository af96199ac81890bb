export { openEmbeddedReadModelStore } from "./embedded/store.ts";
export * from "./port.ts";
export type { Projection } from "./projection.ts";
export * from "./projections/index.ts";
export { type ProjectionBatch, ProjectionError } from "./running/fold.ts";
export { rebuildProjections } from "./running/rebuild.ts";
export {
  createProjectionRunner,
  type ProjectionRunner,
  type ProjectionRunnerOptions,
  type ProjectionSource,
} from "./running/runner.ts";
