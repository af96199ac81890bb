import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { lookedThrough } from "@rubrica/pdf-admission";
import { openDocument } from "@rubrica/pdf-reading/open";
import type { Clock } from "@rubrica/runtime";
import sharp from "sharp";
import {
  type AdmittedAndPlaced,
  type PdfEngine,
  PdfRefused,
  type Placement,
  type SigningIdentity,
  type Stamp,
} from "../src/index.ts";
import { faultOf, inFolder, isHealthy } from "./check.ts";
import { isOverMarks } from "./marks.ts";
import type { PyHanko } from "./pyhanko.ts";

/** What became of one file. */
export interface Outcome {
  file: string;
  /** By the word of qpdf and poppler, before anything was done to it. */
  healthy: boolean;
  kind: "good" | "bad" | "refused" | "crashed";
  /** Why it was refused, what is wrong, or what the original does not allow of what is good; empty when there is nothing. */
  reason: string;
  /** Milliseconds to inspect, stamp and seal. */
  durationMs: number;
  /** Whether its stamp is over what the original draws; null where that may be: it is signed and full, or nothing is drawn. */
  overMarks: boolean | null;
}

/** What files are run through, and judged by. */
export interface Bench {
  engine: PdfEngine;
  identity: SigningIdentity;
  clock: Clock;
  /** Null where it is not there. It has to trust the identity's root, and that of the timestamp server. */
  pyHanko: PyHanko | null;
  /** A timestamp server (RFC 3161): documents that bring a document timestamp along are sealed for the long term as well. */
  timestampUrl: string | null;
}

/** What pyHanko says of a seal behind an older document timestamp whose authority it does not trust: nothing appended mends that. */
const UNTRUSTED_BEFORE = "AdESIndeterminate.NO_POE";
const NOT_ALLOWED = "an older timestamp that nobody trusts keeps pyHanko from the long term";

const drawing = () =>
  sharp({ create: { width: 300, height: 100, channels: 4, background: "#001848" } })
    .png()
    .toBuffer();

/** All PDFs under a folder, by path. */
export const pdfsUnder = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.toLowerCase().endsWith(".pdf"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
};

/** Files that are judged at once: other programs do much of it, one thing at a time. */
const AT_ONCE = 2;

/**
 * Made to try readers: by fonts that draw each other's glyphs, of which each reader shows another part; by a font that a
 * graphics state sets, which PDFium does not take; and by numbers of glyphs in fonts that the file does not bring along, for
 * which Poppler shows other letters than MuPDF, or PDFium than others.
 */
const MADE_TO_DIFFER: readonly string[] = [
  "pdf.js/ContentStreamCycleType3insideType3.pdf",
  "pdf.js/extgstate.pdf",
  "pdf.js/issue11915.pdf",
  "pdf.js/issue4722.pdf",
];

/** Takes in, stamps, seals and checks each PDF of a folder; tells of each as it is done, by path. */
export async function* runCorpus(folder: string, bench: Bench): AsyncGenerator<Outcome> {
  const image = await drawing();
  const outcomeOf = async (path: string): Promise<Outcome> => {
    const file = relative(folder, path);
    const healthy = !MADE_TO_DIFFER.includes(file) && (await isHealthy(path));
    return { file, healthy, ...(await tried(bench, path, image, healthy)) };
  };
  const begun: Promise<Outcome>[] = [];
  for (const path of await pdfsUnder(folder)) {
    begun.push(outcomeOf(path));
    const first = begun.length < AT_ONCE ? undefined : begun.shift();
    if (first) yield await first;
  }
  yield* begun;
}

type Tried = Pick<Outcome, "kind" | "reason" | "durationMs" | "overMarks">;

const tried = async (bench: Bench, path: string, image: Buffer, healthy: boolean): Promise<Tried> => {
  const { engine, identity, clock } = bench;
  const bytes = await readFile(path);
  const start = clock.monotonicMs();
  try {
    const placed = await engine.admitAndPlace(bytes, { places: [{}], everyPage: false, title: "Corpus" });
    const taken = placed.bytes ?? bytes;
    const [placement] = placed.placements as [Placement];
    const stamp: Stamp = {
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
    const fault =
      (await sealFault(bench, { path, bytes, taken }, sealed.bytes, placed, healthy)) ??
      (await longTermFault(bench, taken, placed));
    const kind = fault === null || fault === NOT_ALLOWED ? "good" : "bad";
    return { kind, reason: fault ?? "", durationMs, overMarks: await overMarks(path, placed) };
  } catch (error) {
    const durationMs = clock.monotonicMs() - start;
    if (error instanceof PdfRefused) return { kind: "refused", reason: error.reason, durationMs, overMarks: null };
    return { kind: "crashed", reason: error instanceof Error ? error.message : "unknown", durationMs, overMarks: null };
  }
};

/** A page for signatures that was added bears nothing of the original's; a signed file may be full. */
const overMarks = async (original: string, placed: AdmittedAndPlaced): Promise<boolean | null> => {
  const [placement] = placed.placements;
  if (placement === undefined || placed.inspection.signatures.length > 0) return null;
  if (placed.inspection.pageCount > placed.pagesBefore) return false;
  const { pageCount, pages } = placed.inspection;
  const page = typeof placement.pages === "number" ? placement.pages : pageCount;
  return isOverMarks(original, { page, pageWidth: pages[page - 1]?.width ?? 0, x: placement.x, y: placement.y });
};

/** A file of the corpus, and as it was taken in. */
interface Given {
  path: string;
  bytes: Uint8Array;
  taken: Uint8Array;
}

/** Whether a file has what readers show each in their own way, which is made the same for all when it is taken in. */
const isShownOtherwise = async (bytes: Uint8Array): Promise<boolean> =>
  lookedThrough(await openDocument(bytes)).active.includes("shown_otherwise");

/** What is wrong with a sealed file; null when nothing is. */
const sealFault = async (
  { engine, identity, pyHanko }: Bench,
  { path, bytes, taken }: Given,
  sealed: Uint8Array,
  { placements: [placement], inspection }: AdmittedAndPlaced,
  healthy: boolean,
): Promise<string | null> => {
  if (Buffer.compare(sealed.subarray(0, taken.length), taken) !== 0) return "does not begin with what was accepted";
  const { untouched } = await engine.verify(sealed, identity.issuers);
  if (!untouched) return "own check finds it changed";
  if (placement === undefined) return "it has no place";
  const { pageCount, signatures, pages } = inspection;
  const page = typeof placement.pages === "number" ? placement.pages : pageCount;
  const stamped = {
    pageCount,
    page,
    pageWidth: pages[page - 1]?.width ?? 0,
    x: placement.x,
    y: placement.y,
    visible: signatures.every(({ permittedChanges }) => permittedChanges === null),
    mayCover: signatures.length > 0,
  };
  return inFolder(async (temporary) => {
    const result = join(temporary, "sealed.pdf");
    await writeFile(result, sealed);
    const accepted = join(temporary, "accepted.pdf");
    await writeFile(accepted, taken);
    // What its text is drawn as then, in all readers alike, is another test's.
    const look = (await isShownOtherwise(bytes)) ? accepted : path;
    const fault = await faultOf({ signatures: path, look }, result, stamped, healthy);
    if (fault !== null || pyHanko === null) return fault;
    const verdict = await pyHanko.judge(result, false);
    // What pyHanko can't read is its author's to answer for, where others could.
    if ("unreadable" in verdict) return null;
    if (!verdict.intact || !verdict.valid) return "pyHanko finds the seal broken";
    return verdict.trusted ? null : "pyHanko does not trust the seal";
  });
};

/** What is wrong with a seal for the long term, of a document that brings a document timestamp along. */
const longTermFault = async (
  { engine, identity, clock, pyHanko, timestampUrl }: Bench,
  document: Uint8Array,
  { inspection }: AdmittedAndPlaced,
): Promise<string | null> => {
  const brought = inspection.signatures.some(({ kind }) => kind === "document_timestamp");
  if (!brought || timestampUrl === null) return null;
  const timestamps = { urls: [timestampUrl], level: "B-LTA" } as const;
  const { bytes, level } = await engine.seal(document, { identity, sealedAt: clock.now(), timestamps });
  const { afterSeal } = await engine.verify(bytes, identity.issuers);
  // The authority is one of this run's alone, which nobody is told to trust.
  if (afterSeal !== "validation_data_by_others") return "own check finds it changed for the long term";
  if (pyHanko === null || level !== "B-LTA") return null;
  return inFolder(async (temporary) => {
    const result = join(temporary, "sealed.pdf");
    await writeFile(result, bytes);
    const verdict = await pyHanko.judge(result, true);
    if ("unreadable" in verdict || verdict.ades === "AdESPassed.OK") return null;
    return verdict.ades === UNTRUSTED_BEFORE ? NOT_ALLOWED : `pyHanko says ${verdict.ades} of the long term`;
  });
};
