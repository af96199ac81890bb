import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createPdfEngine, loadOrCreateSigningIdentity, type SigningIdentity, type Stamp } from "@rubrica/pdf";
import { PDFDocument } from "pdf-lib";
import sharp from "sharp";
import { type Extent, percentile, type Row, runtime, timeOf, withFolder } from "./measure.ts";

const { clock, random } = runtime;
const WARM_UP = 5;
const SAMPLE = join(import.meta.dirname, "..", "packages", "pdf", "samples", "sample-contract.pdf");

/** The sample contract, made larger by an attachment that does not compress. */
const documentOf = async (sizeBytes: number): Promise<Uint8Array> => {
  const sample = await readFile(SAMPLE);
  const pdf = await PDFDocument.load(sample);
  await pdf.attach(random.bytes(sizeBytes - sample.length), "filler.bin");
  return pdf.save();
};

/** A signer's stamp as it is usual. */
export const stampOf = async (): Promise<Stamp> => ({
  placement: { pages: "last", x: 28, y: 742 },
  drawing: await sharp({ create: { width: 600, height: 200, channels: 4, background: "#001848" } })
    .png()
    .toBuffer(),
  name: "Łukasz Pérez",
  idNumber: "20123456",
  signedAt: clock.now(),
  timeZone: null,
  documentId: "0197a3c2-1111-7222-8333-9d41c07fabcd",
});

const medianMs = async (rounds: number, work: () => unknown): Promise<number> => {
  const times: number[] = [];
  for (let round = 0; round < WARM_UP + rounds; round += 1) times.push(await timeOf(work));
  return percentile(times.slice(WARM_UP), 0.5);
};

const milliseconds = (value: number): string => `${value.toFixed(1)} ms`;

const benchOne = async (
  { what, sizeBytes, aim }: { what: string; sizeBytes: number; aim: string },
  rounds: number,
  identity: SigningIdentity,
): Promise<Row> => {
  const engine = createPdfEngine({ clock, processes: 1 });
  try {
    const [bytes, stamp] = [await documentOf(sizeBytes), await stampOf()];
    const sealing = { identity, sealedAt: clock.now() };
    const sealed = await engine.stampAndSeal(bytes, [stamp], sealing);
    const median = (work: () => unknown) => medianMs(rounds, work);
    const both = await median(() => engine.stampAndSeal(bytes, [stamp], sealing));
    const raw = await median(() => identity.sign(createHash("sha256").update(bytes).digest()));
    const inspecting = await median(() => engine.inspect(bytes));
    const sealingAlone = await median(() => engine.seal(bytes, sealing));
    const verifying = await median(() => engine.verify(sealed.bytes, identity.issuers));
    return {
      what: `stamp and seal a PDF of ${what}`,
      measured: milliseconds(both),
      baseline: `hash and sign the same bytes: ${milliseconds(raw)}`,
      result: `${Math.round(both / raw)} ×`,
      aim,
      note:
        `sealing alone ${milliseconds(sealingAlone)}, the rest fonts and drawing; ` +
        `inspecting ${milliseconds(inspecting)}, verifying ${milliseconds(verifying)}`,
    };
  } finally {
    await engine.close();
  }
};

/** How long it takes to stamp and seal, as the median of some rounds. */
export const benchSeal = ({ quick }: Extent): Promise<Row[]> =>
  withFolder(async (folder) => {
    const identity = await loadOrCreateSigningIdentity(folder, "http://localhost", clock, random);
    const rounds = quick ? 15 : 60;
    const sizes = [
      { what: "100 KB", sizeBytes: 100_000, aim: "-" },
      { what: "5 MB", sizeBytes: 5_000_000, aim: "≤ 4 ×" },
    ];
    const rows: Row[] = [];
    for (const size of sizes) rows.push(await benchOne(size, rounds, identity));
    return rows;
  });
