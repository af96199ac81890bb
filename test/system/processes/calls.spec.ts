import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@rubrica/runtime";
import { temporaryFolder } from "@rubrica/test-kit";
import {
  CallCounter,
  type CountedCalls,
  callsDuring,
  countingCalls,
  hasEngines,
  startDeployment,
  startEngines,
  TWO_OF_EACH,
  wholeLives,
} from "@rubrica/test-kit/deployment";
import { describe, expect, test } from "vitest";

/** The first lives open what stays open. */
const FIRST_LIVES = 3;
const LIVES = 9;
const MINUTE_MS = 60_000;
/**
 * By what part the calls of an app to an engine may be more than they were when they were written down, and by how many at
 * least: where a life takes longer, what is kept for some seconds is read once more, and two who append at once meet oftener.
 */
const MORE = { part: 0.1, atLeast: 4 };
/** The same at rest: how many of those that are made at certain times fall into one minute differs by some. */
const MORE_AT_REST = { part: 0.5, atLeast: 5 };

type Counts = Readonly<Record<string, number>>;

/**
 * What is written down, by app and kind: `subscribers: MongoDB find keys`. The fewest of one life, and how many are made
 * in a minute in which nothing is done.
 */
const kept: Record<"life" | "minuteAtRest", Counts> = JSON.parse(
  readFileSync(join(import.meta.dirname, "calls.json"), "utf8"),
);

/**
 * They are made at certain times: how many fall into a life depends on how long it takes. The log's newest head, which
 * goes with webhooks, is read again after 5 s; the projector looks all the time which obligations are due, and gathers
 * for half a second what analysts ask.
 */
const BY_TIME =
  /EventStoreDB (follow all|read all backwards|read heads)$|projector: MongoDB (find readModels|(find|killCursors) readModel\.([a-z]+-)?obligations)$/;
const OF_ANALYTICS = "projector: MongoDB update readModel.analytics";
/** With each of those above comes one of these. */
const CHECKPOINTS = "projector: MongoDB update readModels";

/** Engines that URLs name have what tests before this one left undone there: it is gone on with meanwhile. */
const holdOthers = process.env.EVENTSTORE_URL !== undefined || process.env.MONGODB_URL !== undefined;

const ONE_OF_EACH = Object.fromEntries(Object.keys(TWO_OF_EACH).map((app) => [app, 1]));

const countsOf = (calls: CountedCalls): Counts =>
  Object.fromEntries(Object.entries(calls).map(([call, { count }]) => [call, count]));

/**
 * Which events the projector takes together depends on the moment, and with it which collections a batch touches, and how:
 * its calls are told together.
 */
const byKind = (calls: Counts): Counts => {
  const sums: Record<string, number> = {};
  for (const [call, count] of Object.entries(calls)) {
    const [kind] = /^projector: MongoDB/.exec(call) ?? [call];
    sums[kind] = (sums[kind] ?? 0) + count;
  }
  return sums;
};

/** How often which app calls which engine: `subscribers: MongoDB`. */
const byEngine = (counts: Counts): Map<string, number> => {
  const sums = new Map<string, number>();
  for (const [call, count] of Object.entries(counts)) {
    const [engine] = /^[a-z-]+: \w+/.exec(call) ?? [call];
    sums.set(engine, (sums.get(engine) ?? 0) + count);
  }
  return sums;
};

/** The calls of one life, without those that are made at certain times. */
const ofLife = (calls: CountedCalls): Counts => {
  const { [OF_ANALYTICS]: ofAnalytics = 0, [CHECKPOINTS]: checkpoints = 0, ...others } = countsOf(calls);
  const caused = Object.entries(others).filter(([call]) => !BY_TIME.test(call));
  return byKind({ ...Object.fromEntries(caused), [CHECKPOINTS]: checkpoints - ofAnalytics });
};

/** What is wrong with the calls, in words: which app makes too many to which engine and of which kinds, or none at all. */
const faultsIn = (found: Counts, written: Counts, more: typeof MORE): string[] => {
  const [sums, kept] = [byEngine(found), byEngine(written)];
  return [...new Set([...sums.keys(), ...kept.keys()])].flatMap((engine) => {
    const [sum, before] = [sums.get(engine) ?? 0, kept.get(engine) ?? 0];
    // Where calls are not counted any more, there are none that are too many.
    if (sum === 0) return [`${engine}: none, ${before} written down`];
    if (sum <= Math.max(before * (1 + more.part), before + more.atLeast)) return [];
    const grown = Object.entries(found).filter(
      ([kind, count]) => kind.startsWith(engine) && count > (written[kind] ?? 0),
    );
    const kinds = grown.map(([kind, count]) => `${kind} ${count}, not ${written[kind] ?? 0}`);
    return [`${engine}: ${sum}, ${before} written down (${kinds.join("; ")})`];
  });
};

/**
 * Who of two apps is first at a thing, and what comes together, depends on the moment, and half of the lives go the one way:
 * a median is now this, now that. The fewest calls of some lives are the same each time, and a call more in each life is one
 * more in them too.
 */
describe.skipIf(!hasEngines() || holdOthers)("a document's whole life, each app a process", () => {
  test("makes no more calls to engines than are written down", async () => {
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
    const sums = counted.map(ofLife);
    const kinds = new Set([...Object.keys(kept.life), ...sums.flatMap((sum) => Object.keys(sum))]);
    const life = Object.fromEntries(
      [...kinds].toSorted().map((kind) => [kind, Math.min(...sums.map((sum) => sum[kind] ?? 0))]),
    );
    const minuteAtRest = byKind(countsOf(await callsDuring(folder.path, () => systemClock.wait(MINUTE_MS))));
    console.info(JSON.stringify({ life, minuteAtRest }, null, 2));
    const faults = [
      ...faultsIn(life, kept.life, MORE),
      ...faultsIn(minuteAtRest, kept.minuteAtRest, MORE_AT_REST).map((fault) => `at rest, ${fault}`),
    ];
    // A report shows no more of an array than its length.
    expect(faults, faults.join("\n")).toEqual([]);
  });
});
