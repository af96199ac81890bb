import { readdirSync, readFileSync } from "node:fs";
import type { RubricaClient } from "@rubrica/test-kit";
import { rubricaClient } from "@rubrica/test-kit";
import {
  hasEngines,
  type LifeSteps,
  startDeployment,
  startEngines,
  TWO_OF_EACH,
  wholeLives,
} from "@rubrica/test-kit/deployment";
import { type Extent, percentile, type Row, ratio, runtime, whole, withFolder } from "./measure.ts";
import { API_KEY, SIMULATOR_KEY, startRubrica } from "./servers.ts";

const { clock } = runtime;
/** How an app is started, in its command line. */
const APP = /scripts\/start\.ts ([a-z-]+)/;
const TICK_MS = 10;
const FIRST_LIVES = 4;
const AT_REST_AFTER_MS = 60_000;
const ALLOWED = { ALLOW_PRIVATE_URLS: "true" };
/** Of the simulator one: it stands for phones and providers, which nobody runs for the public. */
const TWO_OF_ALL = { ...TWO_OF_EACH, "signing-web": 2, "verify-web": 2 };
const ONE_OF_EACH = Object.fromEntries(Object.keys(TWO_OF_EACH).map((app) => [app, 1]));

/** An app's process, or one of its helpers'. */
interface Part {
  pid: number;
  /** `command-api`, `uploads`. */
  name: string;
  /** Time of processors that it and what it started had, in milliseconds. */
  processorMs: number;
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // It ended meanwhile.
    return "";
  }
};

/** The apps that this process started, and their helpers. */
const partsNow = (): Part[] => {
  const all = readdirSync("/proc").flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    const stat = textOf(`/proc/${entry}/stat`);
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [parent, user, system, usersEnded, systemsEnded] = [1, 11, 12, 13, 14].map((at) => fields[at] ?? 0);
    const processorMs = TICK_MS * ((user ?? 0) + (system ?? 0) + (usersEnded ?? 0) + (systemsEnded ?? 0));
    const command = textOf(`/proc/${entry}/cmdline`).replaceAll("\0", " ");
    return [{ pid: Number(entry), parent, command, processorMs }];
  });
  const apps = all.filter(({ parent, command }) => parent === process.pid && APP.test(command));
  if (apps.length === 0) throw new Error("no app was found among this process' children");
  const pids = new Set(apps.map(({ pid }) => pid));
  const helpers = all.filter(({ parent, command }) => pids.has(parent ?? 0) && command.startsWith("rubrica: "));
  return [
    ...apps.map((app) => ({ ...app, name: APP.exec(app.command)?.[1] ?? "" })),
    ...helpers.map((helper) => ({ ...helper, name: /rubrica: ([\w ]*\w)/.exec(helper.command)?.[1] ?? "" })),
  ];
};

const sumsOf = (parts: readonly Part[], of: (part: Part) => number): Map<string, number> => {
  const sums = new Map<string, number>();
  for (const part of parts) sums.set(part.name, (sums.get(part.name) ?? 0) + of(part));
  return sums;
};

const total = (sums: ReadonlyMap<string, number>): number => [...sums.values()].reduce((sum, one) => sum + one, 0);

const said = (sums: ReadonlyMap<string, number>): string =>
  [...sums].map(([name, value]) => `${name} ${whole(value)}`).join(", ");

/** What lives took, one after the other. */
interface Taken {
  /** Medians, in milliseconds. */
  steps: LifeSteps;
  /** A life's, by part. */
  processorMs: Map<string, number>;
}

const takenBy = async (client: RubricaClient, { quick }: Extent): Promise<Taken> => {
  await using lives = await wholeLives(client, 700_000);
  for (let number = 0; number < FIRST_LIVES; number += 1) await lives.live();
  const count = quick ? 8 : 40;
  const before = sumsOf(partsNow(), ({ processorMs }) => processorMs);
  const all: LifeSteps[] = [];
  for (let number = 0; number < count; number += 1) all.push(await lives.live());
  const after = sumsOf(partsNow(), ({ processorMs }) => processorMs);
  const median = (step: keyof LifeSteps) =>
    percentile(
      all.map((life) => life[step]),
      0.5,
    );
  const steps = Object.fromEntries(Object.keys(all[0] ?? {}).map((step) => [step, median(step as keyof LifeSteps)]));
  const processorMs = new Map([...after].map(([name, ms]) => [name, (ms - (before.get(name) ?? 0)) / count]));
  return { steps: steps as unknown as LifeSteps, processorMs };
};

/** Memory of a process with its share of what it has together with others (`smaps_rollup`), in MB. */
const pssMbOf = ({ pid }: Part): number =>
  Number(/^Pss:\s+(\d+) kB/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1_024;

const stepsOf = (steps: LifeSteps): string =>
  Object.entries(steps)
    .map(([step, ms]) => `${step} ${whole(ms)}`)
    .join(", ");

/** What it costs that apps run apart: whole lives, one at a time, as processes on engines against one process; memory. */
export const benchProcesses = async (extent: Extent): Promise<Row[]> => {
  if (!hasEngines()) return [];
  const one = await withFolder(async (folder) => {
    const rubrica = await startRubrica(folder, ALLOWED);
    const client = rubricaClient({ url: rubrica.url, apiKey: API_KEY, simulatorKey: SIMULATOR_KEY });
    try {
      return await takenBy(client, extent);
    } finally {
      await rubrica.stop();
    }
  });
  const onEngines = async (counts: Readonly<Record<string, number>>) => {
    await using engines = await startEngines({ durable: true });
    await using deployment = await startDeployment({ engines: engines.environment, counts, environment: ALLOWED });
    const taken = await takenBy(deployment.client, extent);
    if (counts !== TWO_OF_ALL) return { taken, pssMb: new Map<string, number>() };
    await clock.wait(AT_REST_AFTER_MS);
    return { taken, pssMb: sumsOf(partsNow(), pssMbOf) };
  };
  const { taken } = await onEngines(ONE_OF_EACH);
  const { pssMb } = await onEngines(TWO_OF_ALL);
  const wallMs = ({ steps }: Taken): number => Object.values(steps).reduce((sum, ms) => sum + ms, 0);
  return [
    {
      what: "a whole life, one at a time, each app a process on engines",
      measured: `${whole(wallMs(taken))} ms`,
      baseline: `one process: ${whole(wallMs(one))} ms`,
      result: ratio(wallMs(taken) / wallMs(one)),
      aim: "-",
      note: `${stepsOf(taken.steps)}; one process: ${stepsOf(one.steps)}; engines share this machine's processors`,
    },
    {
      what: "its processor time, of all apps and helpers",
      measured: `${whole(total(taken.processorMs))} ms`,
      baseline: `one process: ${whole(total(one.processorMs))} ms`,
      result: ratio(total(taken.processorMs) / total(one.processorMs)),
      value: total(taken.processorMs) / total(one.processorMs),
      aim: "≤ 1.4",
      note: `${said(taken.processorMs)}; one process: ${said(one.processorMs)}`,
    },
    {
      what: "memory of two of each app, and a simulator, a minute after the last request",
      measured: `${whole(total(pssMb))} MB`,
      baseline: "-",
      result: whole(total(pssMb)),
      value: total(pssMb),
      aim: "≤ 1,200",
      note: `proportional set size, helpers in it: ${said(pssMb)}`,
    },
  ];
};
