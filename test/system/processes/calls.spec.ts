import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@rubrica/test-kit";
import {
  CallCounter,
  type CountedCalls,
  countingCalls,
  hasEngines,
  startDeployment,
  startEngines,
  TWO_OF_EACH,
  wholeLives,
} from "@rubrica/test-kit/deployment";
import { describe, expect, test } from "vitest";

const TIMEOUT_MS = 600_000;
/** The first lives open what stays open. */
const FIRST_LIVES = 3;
const LIVES = 5;
/** By which calls may be more than they were when they were written down. */
const MOST = 1.1;

/**
 * Of one life, by app and engine: `projector: MongoDB`. How many events the projector takes at once depends on the
 * machine: its number is that of one whose events come one by one.
 */
const kept: Record<string, number> = JSON.parse(readFileSync(join(import.meta.dirname, "calls.json"), "utf8"));

const ONE_OF_EACH = Object.fromEntries(Object.keys(TWO_OF_EACH).map((app) => [app, 1]));

const byEngine = (calls: CountedCalls): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const [name, { count }] of Object.entries(calls)) {
    const [, place = name] = /^([\w-]+: \w+)/.exec(name) ?? [];
    sums[place] = (sums[place] ?? 0) + count;
  }
  return sums;
};

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** How many calls came together depends on the moment: the median of some lives is the same each time. */
describe.skipIf(!hasEngines())("a document's whole life, each app a process", () => {
  test("makes no more calls to engines than are written down", { timeout: TIMEOUT_MS }, async () => {
    using folder = temporaryFolder();
    await using engines = await startEngines();
    const environment = { ...countingCalls(folder.path), ALLOW_PRIVATE_URLS: "true" };
    await using deployment = await startDeployment({ engines: engines.environment, counts: ONE_OF_EACH, environment });
    await using lives = await wholeLives(deployment.client, 700_000);
    for (let number = 0; number < FIRST_LIVES; number += 1) await lives.live();
    const counter = await CallCounter.learn(folder.path);
    const counted: CountedCalls[] = [];
    for (let number = 0; number < LIVES; number += 1)
      counted.push(await counter.of(async () => void (await lives.live(() => counter.rest()))));
    const sums = counted.map(byEngine);
    const places = new Set([...Object.keys(kept), ...sums.flatMap((sum) => Object.keys(sum))]);
    const found = Object.fromEntries([...places].map((place) => [place, medianOf(sums.map((sum) => sum[place] ?? 0))]));
    console.info(JSON.stringify(found));
    const more = [...places].filter((place) => (found[place] ?? 0) > MOST * (kept[place] ?? 0));
    expect(more, JSON.stringify(counted.at(-1), null, 1)).toEqual([]);
  });
});
