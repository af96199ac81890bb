export type { Weight } from "./fonts.ts";
export { graphemesOf } from "./graphemes.ts";
export { depthOfRuns, type Run, runsOf, widthOfRuns } from "./runs.ts";
export { prepareShaping } from "./shaping.ts";
export { deflateNatively, FontSubsets } from "./subsets.ts";
