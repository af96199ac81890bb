import { expect } from "vitest";
import { type Answered, isRefusal } from "./requests.ts";

/** Doubled input costs at most so many times as much. */
const MOST = 2.5;
/** Below this, what an input costs is lost among what any request costs. */
const FLOOR_MS = 250;
const ATTEMPTS = 4;
/** A sender who still writes may miss the answer of a service that has closed; asked so often, one is read. */
const ASKED = 4;

/** Something with a size that is sent to the service. */
export interface Growing {
  what: string;
  /** The least and the largest size that is sent. The units are its own: keys, pages, pixels. */
  from: number;
  to: number;
  send(size: number): Promise<Answered>;
}

/** What sizes cost, and how it ended. */
export interface Growth {
  what: string;
  /** `size → status in ms`, in the order in which they were sent. */
  seen: string[];
}

/**
 * Doubles the size until it costs enough to be measured, or to the end; expects that a doubling is then refused or costs
 * at most 2.5 times as much, the next one if not the first (from some size on there may be more to do, as a large photo is
 * made smaller: what grows faster than its size does so each time), and that each answer is a success or a refusal.
 */
export const expectBoundedGrowth = async ({ what, from, to, send }: Growing): Promise<Growth> => {
  const seen: string[] = [];
  const cost = async (size: number): Promise<{ ms: number; refused: boolean }> => {
    let answered = await send(size);
    for (let asked = 1; answered.status === 0 && asked < ASKED; asked += 1) answered = await send(size);
    seen.push(`${size} → ${answered.status} in ${answered.ms.toFixed(0)} ms`);
    // Of what is far larger than what was refused as too large, the connection may be cut before the answer is read.
    const isCut = answered.status === 0 && seen.some((line) => line.includes(" → 413 "));
    const fine = answered.status === 200 || isRefusal(answered) || isCut;
    expect(fine, `${what}: ${seen.join(", ")}: ${answered.body.toString("latin1").slice(0, 300)}`).toBe(true);
    return { ms: answered.ms, refused: answered.status !== 200 };
  };
  /** How many times as much twice the size costs; nothing, where it is refused. */
  const ratioAt = async (size: number, ms: number): Promise<number> => {
    // Noise only adds: the least of several measures is the nearest.
    let [once, twice] = [ms, Number.POSITIVE_INFINITY];
    for (let attempt = 0; attempt < ATTEMPTS && twice / once > MOST; attempt += 1) {
      const doubled = await cost(size * 2);
      if (doubled.refused) return 0;
      twice = Math.min(twice, doubled.ms);
      if (attempt > 0) once = Math.min(once, (await cost(size)).ms);
    }
    // What the least size costs is in both: it is little beside them, or grows as they do.
    return twice / once;
  };
  const base = Math.min((await cost(from)).ms, (await cost(from)).ms);
  for (let size = from; size * 2 <= to; size *= 2) {
    const { ms } = await cost(size);
    if (ms - base < FLOOR_MS) continue;
    let ratio = await ratioAt(size, ms);
    if (ratio > MOST && size * 4 <= to) ratio = await ratioAt(size * 2, (await cost(size * 2)).ms);
    expect(ratio, `${what}: ${seen.join(", ")}`).toBeLessThanOrEqual(MOST);
    return { what, seen };
  }
  return { what, seen };
};
