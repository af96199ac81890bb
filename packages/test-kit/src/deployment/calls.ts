import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { systemClock } from "@rubrica/runtime";
import { HANGING_MS } from "../polling.ts";

/** Calls that come all the time are learnt within this. */
const LEARNING_MS = 8_000;
/** Nothing more comes of what was done when nothing was called for so long. */
const QUIET_MS = 1_500;
const POLL_MS = 100;

/**
 * How often each kind of call was made to an engine, and how long they took together, in milliseconds (0 where that is
 * not known): `MongoDB find readModel.documents`.
 */
export type CountedCalls = Record<string, { count: number; ms: number }>;

/** What apps are started with, to have their calls counted in files of the folder. */
export const countingCalls = (folder: string): Record<string, string> => ({
  RUBRICA_CALLS: folder,
  NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, "calls-preload.ts")).href}`,
});

/** The calls of each app until now, all of its processes together: `command-api: MongoDB find keys`. */
const callsIn = (folder: string): CountedCalls => {
  const calls: CountedCalls = {};
  for (const file of globSync(join(folder, "*.json"))) {
    const [, app] = /([a-z-]+)-\d+\.json$/.exec(file) ?? [];
    const counted: CountedCalls = JSON.parse(readFileSync(file, "utf8"));
    for (const [call, { count, ms }] of Object.entries(counted)) {
      const name = `${app}: ${call}`;
      const before = calls[name] ?? { count: 0, ms: 0 };
      calls[name] = { count: before.count + count, ms: before.ms + ms };
    }
  }
  return calls;
};

const callsSince = (before: CountedCalls, now: CountedCalls): CountedCalls =>
  Object.fromEntries(
    Object.entries(now).flatMap(([name, { count, ms }]) => {
      const since = { count: count - (before[name]?.count ?? 0), ms: ms - (before[name]?.ms ?? 0) };
      return since.count > 0 ? [[name, since]] : [];
    }),
  );

/** All calls that are made while something goes on. @param folder where apps count their calls. */
export const callsDuring = async (folder: string, work: () => Promise<void>): Promise<CountedCalls> => {
  const before = callsIn(folder);
  await work();
  return callsSince(before, callsIn(folder));
};

/** What tells the calls of something that is done apart from those that come all the time. */
export class CallCounter {
  readonly #folder: string;
  /** How often calls come that come all the time, in a millisecond. */
  readonly #atRest: ReadonlyMap<string, number>;

  private constructor(folder: string, atRest: ReadonlyMap<string, number>) {
    this.#folder = folder;
    this.#atRest = atRest;
  }

  /** Learns, while nothing is done, which calls come all the time. @param folder where apps count their calls. */
  static async learn(folder: string): Promise<CallCounter> {
    const sinceMs = systemClock.monotonicMs();
    const calls = await callsDuring(folder, () => systemClock.wait(LEARNING_MS));
    const passedMs = systemClock.monotonicMs() - sinceMs;
    return new CallCounter(folder, new Map(Object.entries(calls).map(([name, { count }]) => [name, count / passedMs])));
  }

  /**
   * The calls that something takes, and what comes of it afterwards. Of those that come all the time, only what is more
   * than that.
   */
  async of(work: () => Promise<void>): Promise<CountedCalls> {
    const sinceMs = systemClock.monotonicMs();
    const calls = await callsDuring(this.#folder, async () => {
      await work();
      await this.rest();
    });
    const passedMs = systemClock.monotonicMs() - sinceMs;
    return Object.fromEntries(
      Object.entries(calls).flatMap(([name, { count, ms }]) => {
        const more = count - Math.ceil((this.#atRest.get(name) ?? 0) * passedMs);
        return more > 0 ? [[name, { count: more, ms }]] : [];
      }),
    );
  }

  /** Resolves when nothing more is called. @throws when that does not come. */
  async rest(): Promise<void> {
    const endMs = systemClock.monotonicMs() + HANGING_MS;
    let last = this.#now();
    for (let sinceMs = systemClock.monotonicMs(); systemClock.monotonicMs() - sinceMs < QUIET_MS; ) {
      if (systemClock.monotonicMs() > endMs) throw new Error("apps whose calls are counted do not come to rest");
      await systemClock.wait(POLL_MS);
      const now = this.#now();
      if (now !== last) [last, sinceMs] = [now, systemClock.monotonicMs()];
    }
  }

  /** What tells whether anything was called that does not come all the time. */
  #now(): string {
    return JSON.stringify(Object.entries(callsIn(this.#folder)).filter(([name]) => !this.#atRest.has(name)));
  }
}
