export * from "./port.ts";
export type { Projection } from "./projection.ts";
export * from "./projections/index.ts";
