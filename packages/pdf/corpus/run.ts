import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Clock } from "@rubrica/runtime";
import sharp from "sharp";
import { defaultPlacements, type PdfEngine, PdfRefused, type SigningIdentity } from "../src/index.ts";
import { faultOf, inFolder, isHealthy } from "./check.ts";

/** What became of one file. */
export interface Outcome {
  file: string;
  /** By the word of qpdf and poppler, before anything was done to it. */
  healthy: boolean;
  kind: "good" | "bad" | "refused" | "crashed";
  /** Why it was refused, or what is wrong; empty when it is good. */
  reason: string;
  /** Milliseconds to inspect, stamp and seal. */
  durationMs: number;
}

const drawing = () =>
  sharp({ create: { width: 300, height: 100, channels: 4, background: "#001848" } })
    .png()
    .toBuffer();

/** All PDFs under a folder, by path. */
export async function pdfsUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.toLowerCase().endsWith(".pdf"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Takes in, stamps, seals and checks each PDF of a folder; tells of each as it is done. */
export async function* runCorpus(
  folder: string,
  engine: PdfEngine,
  identity: SigningIdentity,
  clock: Clock,
): AsyncGenerator<Outcome> {
  const image = await drawing();
  for (const path of await pdfsUnder(folder)) {
    const healthy = await isHealthy(path);
    const outcome = await tried(path, engine, identity, clock, image, healthy);
    yield { file: relative(folder, path), healthy, ...outcome };
  }
}

async function tried(
  path: string,
  engine: PdfEngine,
  identity: SigningIdentity,
  clock: Clock,
  image: Buffer,
  healthy: boolean,
): Promise<Pick<Outcome, "kind" | "reason" | "durationMs">> {
  const bytes = await readFile(path);
  const start = clock.monotonicMs();
  try {
    const admission = await engine.admit(bytes);
    const [taken, { inspection }] = [admission.bytes ?? bytes, admission];
    const [placement] = defaultPlacements(inspection, [null]);
    if (!placement) return { kind: "refused", reason: "no_room", durationMs: clock.monotonicMs() - start };
    await engine.rehearse(taken, [placement]);
    const stamp = {
      placement,
      drawing: image,
      name: "Łukasz Pérez",
      idNumber: "20123456",
      signedAt: clock.now(),
      timeZone: null,
      documentId: "0197a3c2-1111-7222-8333-9d41c07fabcd",
    };
    const sealed = await engine.stampAndSeal(taken, [stamp], { identity, sealedAt: clock.now() });
    const durationMs = clock.monotonicMs() - start;
    const fault = await inFolder(async (temporary) => {
      const result = join(temporary, "sealed.pdf");
      await writeFile(result, sealed.bytes);
      const visible = inspection.signatures.every(({ permittedChanges }) => permittedChanges === null);
      const { pages, x, y } = placement;
      const page = typeof pages === "number" ? pages : inspection.pageCount;
      const pageWidth = inspection.pages[page - 1]?.width ?? 0;
      const { pageCount } = inspection;
      const { untouched } = await engine.verify(sealed.bytes, identity.issuers);
      if (!untouched) return "own check finds it changed";
      return faultOf(path, result, { pageCount, page, pageWidth, x, y, visible }, healthy);
    });
    return { kind: fault === null ? "good" : "bad", reason: fault ?? "", durationMs };
  } catch (error) {
    const durationMs = clock.monotonicMs() - start;
    if (error instanceof PdfRefused) return { kind: "refused", reason: error.reason, durationMs };
    return { kind: "crashed", reason: error instanceof Error ? error.message : "unknown", durationMs };
  }
}
