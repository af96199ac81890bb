import { systemClock } from "@rubrica/runtime";
import { eventually } from "@rubrica/test-kit";
import { expect } from "vitest";
import type { Alone, Arena } from "./arena.ts";
import { isTreeIdle, treeCpuMs } from "./process-tree.ts";
import { type Answered, isRefusal } from "./requests.ts";

/** Doubled input costs at most so many times as much. */
const MOST = 2.5;
/** Below this, what an input costs is lost among what any request costs, and among ticks of 10 ms. */
const FLOOR_MS = 250;
const ATTEMPTS = 4;
/** A sender who still writes may miss the answer of a service that has closed; asked so often, one is read. */
const ASKED = 4;
const PAUSE_MS = 15;

/** Something with a size that is sent to the service. */
export interface Growing {
  what: string;
  /** The least and the largest size that is sent. The units are its own: keys, pages, pixels. */
  from: number;
  to: number;
  send(size: number): Promise<Answered>;
}

interface Cost {
  cpuMs: number;
  refused: boolean;
}

/** Nothing below the service works: helpers that were started meanwhile are there, templates that were taken are converted. */
export const untilIdle = (pid: number): Promise<true> =>
  eventually("idle helpers", async () => {
    if (!isTreeIdle(pid)) return false;
    await systemClock.wait(PAUSE_MS);
    return isTreeIdle(pid);
  });

/** What answers cost of the processors, for the service with all of its helpers and LibreOffice. */
class Costs {
  /** `size → status in ms`, in the order in which they were sent. */
  readonly seen: string[] = [];
  largest = 0;
  readonly #growing: Growing;
  readonly #pid: number;

  constructor(growing: Growing, pid: number) {
    this.#growing = growing;
    this.#pid = pid;
  }

  async of(size: number): Promise<Cost> {
    await untilIdle(this.#pid);
    const beforeMs = treeCpuMs(this.#pid);
    let answered = await this.#growing.send(size);
    let asked = 1;
    for (; answered.status === 0 && asked < ASKED; asked += 1) answered = await this.#growing.send(size);
    await untilIdle(this.#pid);
    const cpuMs = (treeCpuMs(this.#pid) - beforeMs) / asked;
    this.largest = Math.max(this.largest, size);
    this.seen.push(`${size} → ${answered.status} in ${cpuMs.toFixed(0)} ms`);
    this.expectFine(answered);
    return { cpuMs, refused: answered.status !== 200 };
  }

  expectFine(answered: Answered): void {
    // Of what is far larger than what was refused as too large, the connection may be cut before the answer is read.
    const isCut = answered.status === 0 && this.seen.some((line) => line.includes(" → 413 "));
    const fine = answered.status === 200 || isRefusal(answered) || isCut;
    const told = `${this.#growing.what}: ${this.seen.join(", ")}: ${answered.body.toString("latin1").slice(0, 300)}`;
    expect(fine, told).toBe(true);
  }

  /** How many times as much twice the size costs; nothing, where it is refused. */
  async ratioAt(size: number, cpuMs: number): Promise<number> {
    // Noise only adds: the least of several measures is the nearest.
    let [once, twice] = [cpuMs, Number.POSITIVE_INFINITY];
    for (let attempt = 0; attempt < ATTEMPTS && twice / once > MOST; attempt += 1) {
      const doubled = await this.of(size * 2);
      if (doubled.refused) return 0;
      twice = Math.min(twice, doubled.cpuMs);
      if (attempt > 0) once = Math.min(once, (await this.of(size)).cpuMs);
    }
    // What the least size costs is in both: it is little beside them, or grows as they do.
    return twice / once;
  }
}

/** Doubles the size until it costs enough to be measured, or to the end; gives what twice as much then costs. */
const ratioOf = async (costs: Costs, { from, to }: Growing): Promise<number> => {
  const base = Math.min((await costs.of(from)).cpuMs, (await costs.of(from)).cpuMs);
  for (let size = from; size * 2 <= to; size *= 2) {
    const { cpuMs } = await costs.of(size);
    if (cpuMs - base < FLOOR_MS) continue;
    const ratio = await costs.ratioAt(size, cpuMs);
    if (ratio <= MOST || size * 4 > to) return ratio;
    return await costs.ratioAt(size * 2, (await costs.of(size * 2)).cpuMs);
  }
  return 0;
};

/**
 * Sends larger and larger inputs; expects that a doubling is refused or costs at most 2.5 times as much of the
 * processors, the next one if not the first (from some size on there may be more to do, as a large photo is made smaller:
 * what grows faster than its size does so each time), and that each answer is a success or a refusal. The neighbour is
 * silent while costs are measured: what it asks costs too. The largest input is then sent once more beside it.
 */
export const expectBoundedGrowth = (arena: Arena, growing: Growing): Promise<void> => {
  const { what, send } = growing;
  const costs = new Costs(growing, arena.service.pid);
  return arena.attack(what, async (alone: Alone) => {
    const ratio = await alone(() => ratioOf(costs, growing));
    console.info(`${what}: ${costs.seen.join(", ")}`);
    expect(ratio, `${what}: ${costs.seen.join(", ")}`).toBeLessThanOrEqual(MOST);
    costs.expectFine(await send(costs.largest));
  });
};
