import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { type Story, tell } from "@rubrica/test-kit/report/story";
import { openWorld, type World } from "@rubrica/test-kit/report/world";
import { type Extent, percentile, type Row, timeOf } from "./measure.ts";

/** A report is to be there before a person notices, once photos were looked at. */
const AIM_MS = 150;
/** What setting type may keep other requests waiting. */
const AIM_BLOCKED_MS = 50;

const people = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `Łukasz Ελένη Иван 李 ${index + 1}` }));

const stories: readonly { what: string; story: Story; aim: string }[] = [
  { what: "legal report: 1 signer", story: { people: people(1) }, aim: `p50 < ${AIM_MS} ms` },
  { what: "legal report: 3 signers, 9 photos", story: { people: people(3), photos: true }, aim: `p50 < ${AIM_MS} ms` },
  { what: "legal report: 50 signers", story: { people: people(50) }, aim: "-" },
];

const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;

/** The least that a sealed report costs: its bytes hashed and signed. */
const rawMs = async (bytes: Uint8Array): Promise<number> => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const times: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    times.push(await timeOf(() => sign("sha256", createHash("sha256").update(bytes).digest(), privateKey)));
  }
  return percentile(times, 0.5);
};

const benchOne = async (world: World, rounds: number, what: string, story: Story, aim: string): Promise<Row> => {
  const { documentId } = await tell(world, story);
  const firstMs = await timeOf(() => world.reports.build(documentId, "bench"));
  let bytes = new Uint8Array();
  for (let round = 0; round < 5; round += 1) bytes = new Uint8Array(await world.reports.build(documentId, "bench"));
  const blocked = monitorEventLoopDelay({ resolution: 1 });
  blocked.enable();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    times.push(await timeOf(() => world.reports.build(documentId, "bench")));
  }
  blocked.disable();
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  return {
    what,
    measured: `p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}`,
    baseline: `hash and sign ${Math.round(bytes.length / 1024)} KB: ${milliseconds(await rawMs(bytes))}`,
    result: milliseconds(p50),
    aim,
    note:
      `setting the pages and their fonts, in a process of its own; first time ${milliseconds(firstMs)}; ` +
      `the event loop was never blocked longer than ${milliseconds(blocked.max / 1e6)} (aim ${AIM_BLOCKED_MS} ms)`,
  };
};

/** How long a legal report takes, with its photos already looked at. */
export const benchReport = async ({ quick }: Extent): Promise<Row[]> => {
  await using world = await openWorld();
  const rows: Row[] = [];
  for (const { what, story, aim } of stories) rows.push(await benchOne(world, quick ? 5 : 40, what, story, aim));
  return rows;
};
