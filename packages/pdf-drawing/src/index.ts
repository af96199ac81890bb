// What is drawn on PDF files and where: stamps, text in many scripts, places that are free, pages as pictures.
// It must not know seals, nor what makes a file acceptable: it is given one that was opened.

export { defaultPlacements, type PlacementOptions, type WantedPlacement } from "./default-placements.ts";
export type { Inspection } from "./inspect.ts";
export { type PlacementFault, placementFaults, STAMP_BOX } from "./placement.ts";
export type { SignedPage } from "./placing/as-signed.ts";
export type { Stamp } from "./stamping/box.ts";
export type { ShownSignature } from "./stamping/shown.ts";
