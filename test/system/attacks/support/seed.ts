import { type Random, systemRandom } from "@rubrica/runtime";
import { seededRandom } from "@rubrica/runtime/testing";

/** How many times as much is attacked as in CI: `npm run test:long` sets it. */
export const scale = Math.max(1, Number(process.env.RUBRICA_ATTACK_SCALE ?? 1));

/** Chance that a seed repeats. */
export interface Chance {
  /** From 0 up to, and without, `end`; whole. */
  below(end: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** So many of the items, each at most once, in any order; all of them when there are no more. */
  some<Item>(items: readonly Item[], count: number): Item[];
  /** The same chance, for what takes it so. */
  random: Random;
}

export const chanceOf = (seed: number): Chance => {
  const random = seededRandom(seed);
  const below = (end: number) => Math.floor(random.fraction() * end);
  return {
    below,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    some: (items, count) => {
      const left = [...items];
      return Array.from({ length: Math.min(count, items.length) }, () => left.splice(below(left.length), 1)).flat();
    },
    random,
  };
};

/** A fresh seed for each run, printed; `RUBRICA_ATTACK_SEED` replays one. */
export const freshChance = (what: string): Chance => {
  const given = process.env.RUBRICA_ATTACK_SEED;
  const seed = given === undefined ? Math.floor(systemRandom.fraction() * 2 ** 31) : Number(given);
  console.info(`${what}: RUBRICA_ATTACK_SEED=${seed}`);
  return chanceOf(seed);
};
