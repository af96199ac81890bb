import {
  createPdfEngine,
  defaultPlacements,
  loadOrCreateSigningIdentity,
  type PdfEngine,
  type SigningIdentity,
} from "@rubrica/pdf";
import { PDFDocument, StandardFonts } from "pdf-lib";
import { type Extent, percentile, type Row, ratio, runtime, timeOf, whole, withFolder } from "./measure.ts";
import { stampOf } from "./seal.ts";

const { clock } = runtime;
const LINES = 30;
/** The pages and the signatures may cost what they cost alone, and a little for what a machine does meanwhile. */
const AIM = 1.25;

/** A contract of so many pages of text. */
const contractOf = async (pages: number): Promise<Uint8Array> => {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  for (let number = 1; number <= pages; number += 1) {
    const page = pdf.addPage([595, 842]);
    for (let line = 1; line <= LINES; line += 1) {
      page.drawText(`Page ${number}, clause ${line} of what was agreed.`, { x: 40, y: 820 - 20 * line, size: 9, font });
    }
  }
  return pdf.save();
};

interface Contracts {
  engine: PdfEngine;
  identity: SigningIdentity;
}

/** A contract that was sealed with some signers' stamps: one seal, or one for each where it was signed before. */
const sealedBy = async (
  { engine, identity }: Contracts,
  pages: number,
  signers: number,
  wasSigned: boolean,
): Promise<Uint8Array> => {
  const sealing = { identity, sealedAt: clock.now() };
  const contract = await contractOf(pages);
  const bytes = wasSigned ? (await engine.seal(contract, sealing)).bytes : contract;
  const stamp = await stampOf();
  const wanted = Array.from({ length: signers }, () => null);
  const found = defaultPlacements(await engine.inspect(bytes), wanted);
  // What has no room of its own is put over another: how long it takes is the same.
  const stamps = found.map((placement) => ({ ...stamp, placement: placement ?? stamp.placement }));
  return (await engine.stampAndSeal(bytes, stamps, sealing)).bytes;
};

const medianOf = async ({ engine, identity }: Contracts, bytes: Uint8Array, rounds: number): Promise<number> => {
  const times: number[] = [];
  for (let round = 0; round < rounds + 2; round += 1) {
    times.push(await timeOf(() => engine.verify(bytes, identity.issuers)));
  }
  return percentile(times.slice(2), 0.5);
};

const milliseconds = (value: number): string => `${whole(value)} ms`;

/** How long it takes to verify many signatures on many pages, against the pages with one and the signatures on one. */
export const benchVerify = ({ quick }: Extent): Promise<Row[]> =>
  withFolder(async (folder) => {
    const engine = createPdfEngine({ clock, processes: 1 });
    try {
      const identity = await loadOrCreateSigningIdentity(folder, "http://localhost", clock, runtime.random);
      const contracts = { engine, identity };
      const [signers, rounds] = quick ? [10, 3] : [50, 9];
      const measured = async (pages: number, count: number, wasSigned: boolean) => {
        const bytes = await sealedBy(contracts, pages, count, wasSigned);
        return { ms: await medianOf(contracts, bytes, rounds), sizeBytes: bytes.length };
      };
      const rows: Row[] = [];
      for (const wasSigned of [false, true]) {
        const signatures = await measured(1, signers, wasSigned);
        for (const pages of quick ? [200] : [349, 2_000]) {
          const [alone, both] = [await measured(pages, 1, wasSigned), await measured(pages, signers, wasSigned)];
          const megabytes = (both.sizeBytes / 1_000_000).toFixed(1);
          rows.push({
            what: `verify ${signers} signers, ${whole(pages)} pages${wasSigned ? ", signed before" : ""}`,
            measured: milliseconds(both.ms),
            baseline: `1 signer ${milliseconds(alone.ms)}, 1 page ${milliseconds(signatures.ms)}`,
            result: ratio(both.ms / (alone.ms + signatures.ms)),
            aim: `≤ ${AIM}`,
            note: `${wasSigned ? signers + 1 : 1} signatures, ${megabytes} MB: against the pages and the signatures alone`,
          });
        }
      }
      return rows;
    } finally {
      await engine.close();
    }
  });
