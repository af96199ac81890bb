import { joined, type Updated } from "@rubrica/pdf-reading/bytes";
import { refusalOf } from "@rubrica/pdf-reading/open";
import { systemRandom } from "@rubrica/runtime";
import { seededRandom } from "@rubrica/runtime/testing";
import { collectGarbage } from "@rubrica/test-kit/garbage";
import { stampOf } from "@rubrica/test-kit/pdf/fixtures";
import { type PdfShape, pdfShapes } from "@rubrica/test-kit/pdf-shapes";
import { beforeAll, expect, test } from "vitest";
import { run, type Task } from "../../src/engine/tasks.ts";
import { type AdmittedAndPlaced, askedFor, PdfRefused, type Placement } from "../../src/index.ts";

/** What doubled input may cost more; twice, and something for what a machine does meanwhile. */
const MAX_RATIO = 2.5;
/** What takes less is not measured, but tried with twice as much. */
const MEASURABLE_MS = 60;
const MAX_BYTES = 3_000_000;
const ATTEMPTS = 4;

/** By chance one shape of so many; `npm run test:long growth` takes all of them. */
const ONE_OF = Number(process.env.RUBRICA_SHAPES_ONE_OF ?? 4);
const seed = Number(process.env.RUBRICA_ATTACK_SEED ?? systemRandom.bytes(4).readUInt32BE());
const first = seed % ONE_OF;
const chosen = pdfShapes.filter((_, index) => index % ONE_OF === first);
const placements = [0, 1, 2].map((index): Placement => ({ pages: "all", x: 20 * index, y: 9 }));
const stamps = placements.map((placement) => stampOf({ placement }));
const entries = { type: "Sig", subFilter: "ETSI.CAdES.detached", claimedAt: 0, reason: null } as const;

/** Runs a task as a helper does; undefined when the file is refused. */
const tried = async (task: Task): Promise<unknown> => {
  try {
    return await run(task);
  } catch (error) {
    if (refusalOf(error) instanceof PdfRefused) return undefined;
    throw error;
  }
};

/** All that is done with a file from its acceptance to its verification. */
const through = async (bytes: Uint8Array): Promise<{ isRefused: boolean; sealedBytes: number }> => {
  await tried({ kind: "verify", bytes, roots: [], beside: { now: 0 } });
  const asked = { ...askedFor(placements), title: "" };
  const taking = await tried({ kind: "admitAndPlace", bytes, asked, renders: true });
  if (taking === undefined) return { isRefused: true, sealedBytes: 0 };
  const taken = (taking as AdmittedAndPlaced).bytes ?? bytes;
  const sealed = await tried({ kind: "prepareSeal", bytes: taken, stamps, entries, contentsBytes: 9_000 });
  const { bytes: file } = sealed as { bytes: Updated };
  return { isRefused: false, sealedBytes: joined(file).length };
};

/**
 * Processor time, which neighbours on the machine change least, of the cheapest of some runs. What was run before leaves
 * no garbage for any of them to collect.
 */
const cost = async (
  bytes: Uint8Array,
  runs: number,
): Promise<{ ms: number; isRefused: boolean; sealedBytes: number }> => {
  let ms = Number.POSITIVE_INFINITY;
  let result = { isRefused: false, sealedBytes: 0 };
  for (let time = 0; time < runs; time += 1) {
    collectGarbage();
    const before = process.cpuUsage();
    result = await through(bytes);
    const { user, system } = process.cpuUsage(before);
    ms = Math.min(ms, (user + system) / 1_000);
  }
  return { ms, ...result };
};

/** How much more a file of twice the size costs; 0 when it is refused, or all of them are cheap. */
const growth = async ({ size, make }: PdfShape): Promise<number> => {
  const made = (count: number) => make(count, seededRandom(seed));
  for (let count = size; ; count *= 2) {
    const larger = made(2 * count);
    const doubled = await cost(larger, 1);
    if (doubled.isRefused || (doubled.ms < MEASURABLE_MS && larger.length > MAX_BYTES)) return 0;
    if (doubled.ms < MEASURABLE_MS) continue;
    // The first attempt is of one run each, of which there is one.
    let least = doubled.ms / (await cost(made(count), 1)).ms;
    for (let attempt = 2; attempt <= ATTEMPTS && least > MAX_RATIO; attempt += 1) {
      least = Math.min(least, (await cost(larger, attempt)).ms / (await cost(made(count), attempt)).ms);
    }
    return least;
  }
};

beforeAll(async () => {
  console.info(`growth: RUBRICA_ATTACK_SEED=${seed}`);
  // What is loaded and compiled at the first time.
  for (const { size, make } of pdfShapes.slice(0, 5)) await through(make(size, seededRandom(seed)));
});

test.each(chosen)("$name: twice as much costs twice as much, or is refused", async (shape) => {
  expect(await growth(shape)).toBeLessThanOrEqual(MAX_RATIO);
});

test.each(chosen)("$name: what is sealed is not much more than what was sent", async (shape) => {
  const bytes = shape.make(shape.size, seededRandom(seed));
  const { sealedBytes } = await through(bytes);
  expect(sealedBytes).toBeLessThan(5 * bytes.length + 15_000_000);
});
