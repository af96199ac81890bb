// Milliseconds to inspect, and to stamp and seal, against hashing and signing the same bytes:
//   node packages/pdf/bench/seal.ts
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { PDFDocument } from "pdf-lib";
import sharp from "sharp";
import { createPdfEngine, loadOrCreateSigningIdentity, type Stamp } from "../src/index.ts";

const ROUNDS = 30;
const WARM_UP = 5;

/** The sample contract, made larger by an attachment that does not compress. */
async function document(sizeBytes: number): Promise<Uint8Array> {
  const sample = await readFile(join(import.meta.dirname, "../samples/sample-contract.pdf"));
  const pdf = await PDFDocument.load(sample);
  await pdf.attach(systemRandom.bytes(sizeBytes - sample.length), "filler.bin");
  return pdf.save();
}

async function median(work: () => Promise<unknown>): Promise<number> {
  const durations: number[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const start = systemClock.monotonicMs();
    await work();
    if (round >= WARM_UP) durations.push(systemClock.monotonicMs() - start);
  }
  return durations.sort((a, b) => a - b)[ROUNDS / 2] ?? 0;
}

const folder = await mkdtemp(join(tmpdir(), "rubrica-bench-"));
const engine = createPdfEngine({ clock: systemClock, workers: 1 });
try {
  const identity = await loadOrCreateSigningIdentity(folder, "http://localhost", systemClock, systemRandom);
  const drawing = await sharp({ create: { width: 600, height: 200, channels: 4, background: "#001848" } })
    .png()
    .toBuffer();
  const stamp: Stamp = {
    placement: { pages: "last", x: 28, y: 742 },
    drawing,
    name: "Łukasz Pérez",
    idNumber: "20123456",
    signedAt: systemClock.now(),
    timeZone: null,
    documentId: "0197a3c2-1111-7222-8333-9d41c07fabcd",
  };
  for (const [name, sizeBytes] of [
    ["100 KB", 100_000],
    ["5 MB", 5_000_000],
  ] as const) {
    const bytes = await document(sizeBytes);
    const sealing = { identity, sealedAt: systemClock.now() };
    const sealed = await engine.stampAndSeal(bytes, [stamp], sealing);
    const raw = await median(async () => identity.sign(createHash("sha256").update(bytes).digest()));
    console.log(
      name.padEnd(7),
      `hash and sign ${raw.toFixed(1)} ms`,
      `inspect ${(await median(() => engine.inspect(bytes))).toFixed(1)} ms`,
      `seal ${(await median(() => engine.seal(bytes, sealing))).toFixed(1)} ms`,
      `stamp and seal ${(await median(() => engine.stampAndSeal(bytes, [stamp], sealing))).toFixed(1)} ms`,
      `verify ${(await median(() => engine.verify(sealed.bytes, identity.issuers))).toFixed(1)} ms`,
      `(median of ${ROUNDS})`,
    );
  }
} finally {
  await engine.close();
  await rm(folder, { recursive: true });
}
