import type { Position } from "@rubrica/event-store";

/** Observations older than this say nothing of the pace. */
const REMEMBERED_MS = 600_000;

/** How fast something goes through the log: by where it was first seen, and where it is. */
export class Pace {
  #first: { commit: bigint; atMs: number } | undefined;

  /**
   * Takes note of where it is, undefined: at the beginning. Gives how long it takes from there to the goal as it went so far,
   * in milliseconds; undefined while it was not seen to move.
   */
  leftMs(position: Position | undefined, goal: Position, atMs: number): number | undefined {
    const commit = position?.commit ?? 0n;
    if (!this.#first || atMs - this.#first.atMs > REMEMBERED_MS) this.#first = { commit, atMs };
    const first = this.#first;
    if (commit <= first.commit) return undefined;
    return (Number(goal.commit - commit) * (atMs - first.atMs)) / Number(commit - first.commit);
  }
}
