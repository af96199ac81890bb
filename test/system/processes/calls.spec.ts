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
const LIVES = 9;
/** By which calls may be more than they were when they were written down. */
const MOST = 1.1;

/** The fewest of one life, by app and kind: `subscribers: MongoDB find keys`. */
const kept: Record<string, number> = JSON.parse(readFileSync(join(import.meta.dirname, "calls.json"), "utf8"));

/** They are made at certain times, whatever is asked meanwhile: how many fall into a life depends on how long it takes. */
const BY_TIME = /EventStoreDB (follow all|read all backwards)$/;

const ONE_OF_EACH = Object.fromEntries(Object.keys(TWO_OF_EACH).map((app) => [app, 1]));

/**
 * Which events the projector takes together depends on the moment, and with it which collections a batch touches, and how:
 * its calls are told together.
 */
const byKind = (calls: CountedCalls): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const [call, { count }] of Object.entries(calls)) {
    if (BY_TIME.test(call)) continue;
    const [kind] = /^projector: MongoDB/.exec(call) ?? [call];
    sums[kind] = (sums[kind] ?? 0) + count;
  }
  return sums;
};

/** Which app calls which engine. */
const enginesOf = (counts: Record<string, number>): string[] => {
  const called = Object.entries(counts).filter(([, count]) => count > 0);
  return [...new Set(called.map(([call]) => /^[a-z-]+: \w+/.exec(call)?.[0] ?? call))].toSorted();
};

/**
 * Who of two apps is first at a thing, and what comes together, depends on the moment, and half of the lives go the one way:
 * a median is now this, now that. The fewest calls of some lives are the same each time, and a call more in each life is one
 * more in them too.
 */
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
    const sums = counted.map(byKind);
    const kinds = new Set([...Object.keys(kept), ...sums.flatMap((sum) => Object.keys(sum))]);
    const found = Object.fromEntries(
      [...kinds].toSorted().map((kind) => [kind, Math.min(...sums.map((sum) => sum[kind] ?? 0))]),
    );
    console.info(JSON.stringify(found, null, 2));
    // Where calls are not counted any more, there are none that are too many.
    expect(enginesOf(found)).toEqual(enginesOf(kept));
    const more = Object.entries(found).filter(([kind, count]) => count > MOST * (kept[kind] ?? 0));
    expect(more.map(([kind, count]) => `${kind}: ${count}, ${kept[kind] ?? 0} written down`)).toEqual([]);
  });
});
