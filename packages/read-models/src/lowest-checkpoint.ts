import { comparePositions, type Position } from "@rubrica/event-store";

/** Where the one stands that is furthest behind; undefined when it has not begun. */
export const lowestCheckpoint = (several: readonly { checkpoint: Position | undefined }[]): Position | undefined => {
  let lowest = several[0]?.checkpoint;
  for (const { checkpoint } of several) {
    if (!checkpoint) return undefined;
    if (!lowest || comparePositions(checkpoint, lowest) < 0) lowest = checkpoint;
  }
  return lowest;
};
