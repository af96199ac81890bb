import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createImages } from "@rubrica/images";
import { createPdfEngine, type PdfEngine, type PdfPool, type SigningIdentity } from "@rubrica/pdf";
import { runPdfTask } from "@rubrica/pdf/tasks";
import { tell } from "@rubrica/test-kit/report/story";
import { openWorld, type World } from "@rubrica/test-kit/report/world";
import sharp from "sharp";
import { readPhoto } from "../packages/images/src/reading/photo.ts";
import { contentOf } from "../packages/report/src/content/content.ts";
import { ActiveContents } from "../packages/report/src/evidence/active-content.ts";
import { EvidenceFiles } from "../packages/report/src/evidence/files.ts";
import { gatherEvidence } from "../packages/report/src/evidence/gather.ts";
import { render } from "../packages/report/src/layout/render.ts";
import { createRenderer } from "../packages/report/src/render/render.ts";
import { spanish } from "../packages/report/src/spanish.ts";
import { type Extent, percentile, type Row, ratio, runtime, timeOf } from "./measure.ts";
import { stampOf } from "./seal.ts";

const { clock } = runtime;
const SAMPLE = new URL("../packages/pdf/samples/sample-contract.pdf", import.meta.url);
const WARM_UP = 5;

const milliseconds = (value: number): string => `${value.toFixed(1)} ms`;

/** The engine's tasks in this process, as nothing that strangers send is read: what helpers are compared with. */
const inThisProcess: PdfPool = { run: (task) => runPdfTask(task), warm: () => undefined, close: async () => undefined };

/** Turn by turn, so that what else the machine does falls on both. */
const compare = async (
  what: string,
  rounds: number,
  before: () => Promise<unknown>,
  after: () => Promise<unknown>,
): Promise<Row> => {
  const times = { before: [] as number[], after: [] as number[] };
  for (let round = 0; round < WARM_UP + rounds; round += 1) {
    const pair = [await timeOf(before), await timeOf(after)] as const;
    if (round < WARM_UP) continue;
    times.before.push(pair[0]);
    times.after.push(pair[1]);
  }
  const [without, with_] = [percentile(times.before, 0.5), percentile(times.after, 0.5)];
  return {
    what: `${what}, in a helper process`,
    measured: milliseconds(with_),
    baseline: `in this process: ${milliseconds(without)}`,
    result: `${ratio(with_ / without)}, ${with_ < without ? "" : "+"}${milliseconds(with_ - without)}`,
    aim: "-",
    note: "the bytes there and back through a pipe, at a lower priority",
  };
};

const benchDocuments = async (identity: SigningIdentity, rounds: number): Promise<Row[]> => {
  const [bytes, stamp] = [new Uint8Array(await readFile(SAMPLE)), await stampOf()];
  const before = createPdfEngine({ clock, pool: inThisProcess });
  const after = createPdfEngine({ clock, processes: 1 });
  const sealing = { identity, sealedAt: clock.now() };
  const sealed = await before.stampAndSeal(bytes, [stamp], sealing);
  const works: [string, (engine: PdfEngine) => Promise<unknown>][] = [
    ["read a PDF that is accepted", (engine) => engine.inspect(bytes)],
    ["stamp and seal it", (engine) => engine.stampAndSeal(bytes, [stamp], sealing)],
    ["verify it", (engine) => engine.verify(sealed.bytes, identity.issuers)],
  ];
  const rows: Row[] = [];
  for (const [what, work] of works)
    rows.push(
      await compare(
        what,
        rounds,
        () => work(before),
        () => work(after),
      ),
    );
  await after.close();
  return rows;
};

const benchReportSetting = async (world: World, rounds: number): Promise<Row> => {
  const { documentId } = await tell(world, { people: [{ name: "Łukasz Ελένη Иван 李" }] });
  const { journal, known, files, images, identity } = world;
  const renderer = createRenderer({ clock });
  const activeContents = new ActiveContents(renderer.pdf);
  const sources = {
    journal,
    known,
    files: new EvidenceFiles(files, images),
    activeContents,
    caller: "bench",
    clock,
    identity,
  };
  const evidence = await gatherEvidence(sources, documentId);
  if (!evidence) throw new Error("there is no report of the story");
  const content = contentOf(evidence, { verifyUrl: "https://sign.example", rootUrl: null, now: clock.now() }, spanish);
  const sealing = { identity, sealedAt: clock.now(), reason: spanish.title };
  const engine = createPdfEngine({ clock, pool: inThisProcess });
  const row = await compare(
    "set and seal a report",
    rounds,
    async () => engine.seal(await render(content), sealing),
    () => renderer.render(content, sealing, "bench"),
  );
  await renderer.close();
  return row;
};

const benchPhoto = async (rounds: number): Promise<Row> => {
  const noise = { type: "gaussian", mean: 128, sigma: 30 } as const;
  const photo = await sharp({ create: { width: 1_200, height: 1_600, channels: 3, background: "#888", noise } })
    .jpeg()
    .toBuffer();
  const images = createImages({ clock });
  const row = await compare(
    "read a photo",
    rounds,
    () => readPhoto(photo),
    () => images.photo(photo, "bench"),
  );
  await images.close();
  return row;
};

/** What the first who needs a helper waits for, where none was started ahead. */
const benchFirst = async (rounds: number): Promise<Row> => {
  const bytes = new Uint8Array(await readFile(SAMPLE));
  const times: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const engine = createPdfEngine({ clock, processes: 1 });
    times.push(await timeOf(() => engine.inspect(bytes)));
    await engine.close();
    bare.push(await timeOf(() => spawnSync(process.execPath, ["-e", "0"])));
  }
  const [first, nothing] = [percentile(times, 0.5), percentile(bare, 0.5)];
  return {
    what: "a helper's start to its first answer",
    measured: milliseconds(first),
    baseline: `a process that does nothing: ${milliseconds(nothing)}`,
    result: ratio(first / nothing),
    aim: "-",
    note: "loading the engine's modules; the service starts one of each pool ahead, where somebody would wait for it",
  };
};

/** What it costs that whatever strangers send is read in processes of their own. */
export const benchHelpers = async ({ quick }: Extent): Promise<Row[]> => {
  await using world = await openWorld();
  const rounds = quick ? 10 : 60;
  return [
    ...(await benchDocuments(world.identity, rounds)),
    await benchReportSetting(world, rounds),
    await benchPhoto(rounds),
    await benchFirst(quick ? 3 : 10),
  ];
};
