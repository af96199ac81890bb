import type { Observation } from "./bystander.ts";

/** `/livez` never waits longer, beside what an idle server waits on this machine meanwhile. */
const LIVEZ_MS = 500;
/** A neighbour's 99th percentile under attack: so many times its own alone, or so many milliseconds. */
const NEIGHBOUR_TIMES = 5;
const NEIGHBOUR_MS = 250;
const TREE_MB = 900;
/** What the machine itself adds, as an idle server beside it feels it; more than that is the attack's own doing … */
const MOST_IDLE_MS = 250;
/** … unless so much of the processor's time was somebody else's, on the machine that this one is a part of. */
const MUCH_STOLEN = 0.05;
const MEGABYTE = 1_048_576;

const longest = (values: readonly number[]): number => Math.max(0, ...values);

const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(0.99 * values.length) - 1)] ?? 0;

/** Of a wait, what remains without the time that somebody else had the processor. */
const ofThisMachine = (ms: number, { stolen }: Observation): number => ms * (1 - stolen);

/** What an attack did to those beside it, each in a sentence; nothing when they went on as before. */
export const harmOf = (seen: Observation, alone: Observation): string[] => {
  const harm: string[] = [];
  const livezMs = ofThisMachine(longest(seen.livezMs), seen);
  const waitedIdlyMs = ofThisMachine(longest(seen.idleMs), seen);
  const idleMs = seen.stolen > MUCH_STOLEN ? waitedIdlyMs : Math.min(MOST_IDLE_MS, waitedIdlyMs);
  if (livezMs > LIVEZ_MS + idleMs) harm.push(`/livez waited ${livezMs.toFixed(0)} ms`);
  if (seen.livezFailed > 0) harm.push(`/livez was not answered by 200, ${seen.livezFailed} times`);
  for (const [what, times] of Object.entries(seen.neighbourMs)) {
    const under = ofThisMachine(p99(times), seen);
    const before = ofThisMachine(p99(alone.neighbourMs[what] ?? []), alone);
    const allowed = Math.max(NEIGHBOUR_MS, NEIGHBOUR_TIMES * before);
    if (under > allowed + idleMs)
      harm.push(`a neighbour's ${what} waited ${under.toFixed(0)} ms, alone ${before.toFixed(0)} ms`);
  }
  for (const refused of new Set(seen.neighbourRefused)) harm.push(`a neighbour was refused: ${refused}`);
  const megabytes = seen.peakBytes / MEGABYTE;
  if (megabytes > TREE_MB) harm.push(`the process tree held ${megabytes.toFixed(0)} MB`);
  return harm;
};

/** An observation on one line, for people who watch. */
export const lineOf = (seen: Observation): string => {
  const neighbours = Object.entries(seen.neighbourMs).map(([what, times]) => `${what} ${p99(times).toFixed(0)}`);
  return [
    `/livez ≤ ${longest(seen.livezMs).toFixed(0)} ms (an idle server ${longest(seen.idleMs).toFixed(0)})`,
    `a neighbour's p99 ${neighbours.join(", ")} ms`,
    `${(seen.peakBytes / MEGABYTE).toFixed(0)} MB`,
    `${(100 * seen.stolen).toFixed(0)} % stolen`,
  ].join("; ");
};
