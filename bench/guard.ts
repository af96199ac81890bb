// `npm run bench -- --guard`: what a change may not make slower. Ratios are measured in turns with their baselines; counts
// of one document are the same at each run. Exit code 1 where something is beyond its limit in `limits.json`.
import { readFileSync } from "node:fs";
import { countLoneDocument } from "./counts.ts";
import { readRatios } from "./eventstoredb.ts";
import { acceptRate, bareAcceptRate, bareStatusRate, createPosts, documentsOf, statusRate } from "./http.ts";
import { drawnSignature, manyLives, reportMs, reportRatio } from "./lives.ts";
import { type Limits, limitsIn, loosened } from "./loosened.ts";
import { percentile, runtime, withFolder } from "./measure.ts";
import { replayRatio } from "./replay.ts";
import { processorMsOf, type RunningServer, startBareServer, startRubrica } from "./servers.ts";

const { clock } = runtime;
const ROUNDS = 3;
/** Where no round was calm, there are more, until one is. */
const MOST_ROUNDS = 6;
const SECONDS = 3;
const LIVES = 24;
const STATUS_OF = 200;
/** Documents that are replayed: the raw reading of 200 took 8 ms, too short to be compared with. */
const REPLAYED = 1_000;
/** Share of one processor that other work may take (here or on the host) while a round is measured; beyond it the round does not count. */
const OTHERS_MOST = 0.15;
/** How much a count may grow, as a factor. */
const COUNTS_MOST = 1.1;

/** One round: each ratio, and whether the machine had nothing else to do. */
interface Round {
  ratios: Record<string, number>;
  isCalm: boolean;
}

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);
const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Ticks of a hundredth of a second, as Linux counts them. */
const TICK_MS = 10;

/** Time that processors were at work, or were given to others' machines, since this one started, in milliseconds. */
const takenMs = (): number => {
  const [, ...ticks] = readFileSync("/proc/stat", "latin1").split("\n", 1)[0]?.trim().split(/\s+/) ?? [];
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = ticks.map(Number);
  return (user + nice + system + irq + softirq + steal) * TICK_MS;
};

/** Processor time of a server and its helpers until now, in milliseconds. */
const spentMs = (server: RunningServer): number => sum(processorMsOf(server).values());

/** The same while something is done. */
const spentBy = async <Result>(server: RunningServer, work: () => Promise<Result>): Promise<[Result, number]> => {
  const before = spentMs(server);
  const result = await work();
  return [result, spentMs(server) - before];
};

const measureRound = (): Promise<Round> =>
  withFolder(async (folder) => {
    const [startedMs, takenBefore, ownBefore] = [clock.monotonicMs(), takenMs(), process.cpuUsage()];
    const rubrica = await startRubrica(`${folder}/rubrica`);
    const bare = await startBareServer(folder);
    try {
      const [posts, drawing] = [await createPosts(), await drawnSignature()];
      // The first ones compile what they run through.
      await acceptRate(rubrica, posts, 2);
      await manyLives(rubrica, posts, drawing, { count: 3, atOnce: 1 });
      const [bareAccepted, bareAcceptMs] = await spentBy(bare, () => bareAcceptRate(bare, posts, SECONDS));
      // Until the last message: for so few documents, what is gathered and waits for its moment would count too much.
      const [beforeMs, sent] = [spentMs(rubrica), Promise.withResolvers<number>()];
      const accepted = await acceptRate(rubrica, posts, SECONDS, () => sent.resolve(spentMs(rubrica)));
      const acceptMs = (await sent.promise) - beforeMs;
      const ids = await documentsOf(rubrica, posts, accepted.ids, STATUS_OF);
      const bareStatus = await bareStatusRate(bare, SECONDS);
      const status = await statusRate(rubrica, posts, ids, SECONDS);
      const alone = await manyLives(rubrica, posts, drawing, { count: 5, atOnce: 1 });
      const [beside, livesMs] = await spentBy(rubrica, () => manyLives(rubrica, posts, drawing, { count: LIVES }));
      const bareMsOfOne = bareAcceptMs / (bareAccepted * SECONDS);
      const ratios = {
        accept: accepted.perSecond / bareAccepted,
        acceptProcessor: acceptMs / accepted.ids.length / bareMsOfOne,
        status: status / bareStatus,
        lives: beside.perSecond / bareAccepted,
        livesProcessor: livesMs / LIVES / bareMsOfOne,
        report: reportRatio(beside.lives, alone.lives),
        reportAlone: (reportMs(alone.lives) * bareAccepted) / 1_000,
        replay: await replayRatio(REPLAYED),
      };
      const own = process.cpuUsage(ownBefore);
      const servers = sum([...processorMsOf(rubrica).values(), ...processorMsOf(bare).values()]);
      const othersMs = takenMs() - takenBefore - servers - (own.user + own.system) / 1_000;
      return { ratios, isCalm: othersMs < OTHERS_MOST * (clock.monotonicMs() - startedMs) };
    } finally {
      await Promise.all([rubrica.stop(), bare.stop()]);
    }
  });

/** What was not measured is beyond every limit. */
const isBeyond = (value: number, { least, most }: Limits["ratios"][string]): boolean =>
  Number.isNaN(value) || (least !== undefined && value < least) || (most !== undefined && value > most);

/** Measures, prints and judges. Gives the names of what is beyond its limit. */
export const guard = async (): Promise<string[]> => {
  const limits = limitsIn(import.meta.dirname);
  const beyond = loosened(import.meta.dirname).map(
    (name) => `${name} (its limit was loosened, and no row of limits.md says why)`,
  );
  const counts = await countLoneDocument();
  for (const [name, limit] of Object.entries(limits.counts)) {
    const count = counts[name as keyof typeof counts];
    console.log(`${name.padEnd(16)} ${count ?? "not known here"}, at most ${Math.floor(limit * COUNTS_MOST)}`);
    // A counter that counts nothing is broken.
    if (count !== undefined && (count === 0 || count > limit * COUNTS_MOST)) beyond.push(name);
  }
  // Once, of many events: each is a median of turns by itself.
  const ofReading = await readRatios();
  const rounds: Round[] = [];
  const calmOnes = (): Round[] => rounds.filter(({ isCalm }) => isCalm);
  while (rounds.length < ROUNDS || (calmOnes().length === 0 && rounds.length < MOST_ROUNDS))
    rounds.push(await measureRound());
  const calm = calmOnes();
  if (calm.length < rounds.length)
    console.log(`${rounds.length - calm.length} of ${rounds.length} rounds had other work beside them.`);
  for (const [name, limit] of Object.entries(limits.ratios)) {
    // Processor time is about the same whatever else a machine does; what passes meanwhile is not.
    const judged = name.endsWith("Processor") ? rounds : calm;
    const ofRounds = (judged.length > 0 ? judged : rounds).map(({ ratios }) => ratios[name] ?? Number.NaN);
    const value = ofReading[name] ?? median(ofRounds);
    const bound = limit.least === undefined ? `at most ${limit.most}` : `at least ${limit.least}`;
    console.log(`${name.padEnd(16)} ${value.toPrecision(3)}, ${bound}${judged.length > 0 ? "" : ", not judged"}`);
    if (Number.isNaN(value) || (judged.length > 0 && isBeyond(value, limit))) beyond.push(name);
  }
  return beyond;
};
