import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { STAMP_BOX } from "../src/index.ts";
import { pictureByPdfium } from "./pdfium.ts";

const execute = promisify(execFile);
const PROGRAM_TIMEOUT_MS = 60_000;
/** Pages beyond these are not compared as pictures; the last one and the stamped one always are. */
const MAX_COMPARED_PAGES = 10;
const DOTS_PER_INCH = 36;
/** The page with the stamp is drawn at least so wide: on a tiny page the stamp is tiny, too. */
const MIN_STAMPED_PAGE_DOTS = 150;
/** How far a pixel's grey value may be off before it counts as changed, and how many may be. */
const TOLERATED_DIFFERENCE = 40;
const TOLERATED_PIXELS = 4;
const MAX_REDRAWINGS = 5;

const ran = async (program: string, ...args: string[]): Promise<{ ok: boolean; output: string }> => {
  try {
    const { stdout, stderr } = await execute(program, args, {
      timeout: PROGRAM_TIMEOUT_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    return { ok: true, output: stdout + stderr };
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    return { ok: false, output: stdout + stderr };
  }
};

/** Runs `use` with a folder that is removed afterwards. */
export const inFolder = async <Result>(use: (folder: string) => Promise<Result>): Promise<Result> => {
  const folder = await mkdtemp(join(tmpdir(), "rubrica-corpus-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Whether a file is sound by the word of qpdf and poppler. */
export const isHealthy = async (path: string): Promise<boolean> => {
  const [checked, drawn] = await Promise.all([
    ran("qpdf", "--check", path),
    inFolder(async (folder) => {
      const { ok } = await ran("pdftoppm", "-r", "20", "-l", String(MAX_COMPARED_PAGES), path, join(folder, "page"));
      return ok && (await readdir(folder)).length > 0;
    }),
  ]);
  return checked.ok && drawn;
};

/** What pdfsig says of each signature of a file, in its order. */
export const signatureVerdicts = async (path: string): Promise<{ valid: boolean; total: boolean }[]> => {
  const { output } = await ran("pdfsig", "-nocert", path);
  return output
    .split(/^Signature #\d+:/m)
    .slice(1)
    .map((part) => ({
      valid: part.includes("Signature Validation: Signature is Valid."),
      total: part.includes("Total document signed"),
    }));
};

/** Where a stamp was put, for telling its pixels from others. */
export interface Stamped {
  pageCount: number;
  /** From 1. */
  page: number;
  /** Top left corner in points on the page as seen. */
  x: number;
  y: number;
  /** Width of that page as seen, in points: pictures are not scaled to larger units, which a page may be in. */
  pageWidth: number;
  /** False where a certification permits no new visible fields. */
  visible: boolean;
  /** Whether it may stand over words: where a signed document has room nowhere. */
  mayCover: boolean;
}

/** Files that a sealed one is compared with: one for signatures, one for how its pages look and read. */
interface Originals {
  signatures: string;
  look: string;
}

/** What is wrong with a sealed file, in a word or two; null when nothing is. */
export const faultOf = async (
  { signatures, look }: Originals,
  sealed: string,
  stamped: Stamped,
  healthy: boolean,
): Promise<string | null> => {
  const before = await signatureVerdicts(signatures);
  const after = await signatureVerdicts(sealed);
  const seal = after.at(-1);
  if (seal === undefined || !seal.valid) return "seal not valid";
  if (!seal.total) return "seal does not cover the whole file";
  if (before.some(({ valid }, index) => valid && after[index]?.valid !== true)) return "broke a signature";
  if (healthy && !(await ran("qpdf", "--check", sealed)).ok) return "no longer sound";
  return (await compare(look, sealed, stamped)) ?? wordFault(look, sealed, stamped);
};

const WORD = /<word xMin="(-?[\d.]+)" yMin="(-?[\d.]+)" xMax="(-?[\d.]+)" yMax="(-?[\d.]+)">([^<]*)</g;
/** How far a word's box may reach beyond its letters, in points. */
const WORD_EDGE = 2;

interface Word {
  text: string;
  isUnder: boolean;
}

/** Whether words of the stamped page went, or are under the stamp. */
const wordFault = async (original: string, sealed: string, stamped: Stamped): Promise<string | null> => {
  const [before, after] = [await wordsOf(original, stamped), await wordsOf(sealed, stamped)];
  const left = new Map<string, number>();
  for (const { text } of after) left.set(text, (left.get(text) ?? 0) + 1);
  for (const { text } of before) {
    const count = left.get(text) ?? 0;
    if (count === 0) return "a word can't be read any more";
    left.set(text, count - 1);
  }
  const covers = stamped.visible && !stamped.mayCover && before.some(({ isUnder }) => isUnder);
  return covers ? "the stamp is over words" : null;
};

/** The words of the stamped page; those of a page that is turned or enlarged are said to be elsewhere, and count as free. */
const wordsOf = async (path: string, { page, x, y, pageWidth }: Stamped): Promise<Word[]> => {
  const { ok, output } = await ran("pdftotext", "-bbox", "-cropbox", "-f", String(page), "-l", String(page), path, "-");
  if (!ok) return [];
  const width = Number(/<page width="([\d.]+)"/.exec(output)?.[1]);
  const isAsSeen = Math.abs(width - pageWidth) < 1;
  return [...output.matchAll(WORD)].map(([, left, top, right, bottom, text = ""]) => ({
    text,
    isUnder:
      isAsSeen &&
      Number(left) + WORD_EDGE < x + STAMP_BOX.width &&
      x < Number(right) - WORD_EDGE &&
      Number(top) + WORD_EDGE < y + STAMP_BOX.height &&
      y < Number(bottom) - WORD_EDGE,
  }));
};

const compare = async (original: string, sealed: string, stamped: Stamped): Promise<string | null> => {
  const { pageCount } = stamped;
  const pages = Array.from({ length: Math.min(pageCount, MAX_COMPARED_PAGES) }, (_, index) => index + 1);
  for (const page of new Set([...pages, stamped.page, pageCount])) {
    const dotsPerInch = page === stamped.page ? dotsFor(stamped) : DOTS_PER_INCH;
    const [before, after] = await Promise.all([
      picture(original, page, dotsPerInch),
      picture(sealed, page, dotsPerInch),
    ]);
    if (before === null) continue;
    if (after === null) return "a page is no longer drawn";
    if (before.width !== after.width || before.height !== after.height) return "a page changed its size";
    const { inside, outside } = changes(before, after, page === stamped.page ? stamped : null);
    if (outside > TOLERATED_PIXELS) {
      const compared = { first: before, stamped: page === stamped.page ? stamped : null };
      const isOtherwise = await differsEachTime([original, sealed], page, dotsPerInch, compared);
      if (isOtherwise && !(await isDrawnWrongly([original, sealed], page, compared.stamped)))
        return "a page looks otherwise";
      continue;
    }
    if (page === stamped.page && inside > 0 !== stamped.visible)
      return stamped.visible ? "the stamp is not seen" : "a page looks otherwise";
  }
  return null;
};

const dotsFor = ({ pageWidth }: Stamped): number =>
  Math.max(DOTS_PER_INCH, Math.ceil((72 * MIN_STAMPED_PAGE_DOTS) / Math.max(1, pageWidth)));

/** Whether a page differs however often it is drawn: now and then the renderer draws the same page in another way. */
const differsEachTime = async (
  [original, sealed]: readonly [string, string],
  page: number,
  dotsPerInch: number,
  { first, stamped }: { first: RenderedPage; stamped: Stamped | null },
): Promise<boolean> => {
  for (let again = 0; again < MAX_REDRAWINGS; again += 1) {
    const [before, after] = await Promise.all([
      picture(original, page, dotsPerInch),
      picture(sealed, page, dotsPerInch),
    ]);
    // Where the original itself varies, there is nothing to compare with.
    if (before && changes(first, before, null).outside > TOLERATED_PIXELS) return false;
    const isAlike = before && after && before.width === after.width && before.height === after.height;
    if (isAlike && changes(before, after, stamped).outside <= TOLERATED_PIXELS) return false;
  }
  return true;
};

/** Whether Poppler draws pictures in JBIG2 otherwise than PDFium, which draws the page as before: they are written anew, dot by dot. */
const isDrawnWrongly = async (
  [original, sealed]: readonly [string, string],
  page: number,
  stamped: Stamped | null,
): Promise<boolean> => {
  const { output } = await ran("pdfimages", "-list", "-f", String(page), "-l", String(page), original);
  if (!/\sjbig2\s/.test(output)) return false;
  const [before, after] = await Promise.all([original, sealed].map((path) => pictureByPdfium(path, page)));
  const isAlike = before && after && before.width === after.width && before.height === after.height;
  return isAlike === true && changes(before, after, stamped).outside <= TOLERATED_PIXELS;
};

/** A page as another renderer draws it, in grey, row by row from the top left. */
export interface RenderedPage {
  width: number;
  height: number;
  grey: Buffer;
}

/** Draws a page (from 1); null where it can't be drawn. */
export const picture = async (path: string, page: number, dotsPerInch: number): Promise<RenderedPage | null> =>
  inFolder(async (folder) => {
    const target = join(folder, "page");
    const options = [
      "-r",
      String(dotsPerInch),
      "-f",
      String(page),
      "-l",
      String(page),
      "-singlefile",
      "-cropbox",
      "-png",
    ];
    const { ok } = await ran("pdftoppm", ...options, path, target);
    if (!ok) return null;
    const { data, info } = await sharp(await readFile(`${target}.png`))
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, grey: data };
  });

const changes = (
  before: RenderedPage,
  after: RenderedPage,
  stamped: Stamped | null,
): { inside: number; outside: number } => {
  const scale = stamped === null ? 1 : before.width / stamped.pageWidth;
  const [left, top] = stamped === null ? [0, 0] : [stamped.x * scale - 1, stamped.y * scale - 1];
  const [right, bottom] = [left + STAMP_BOX.width * scale + 2, top + STAMP_BOX.height * scale + 2];
  let [inside, outside] = [0, 0];
  for (let index = 0; index < before.grey.length; index += 1) {
    if (Math.abs((before.grey[index] ?? 0) - (after.grey[index] ?? 0)) <= TOLERATED_DIFFERENCE) continue;
    const [x, y] = [index % before.width, Math.floor(index / before.width)];
    if (stamped !== null && x >= left && x <= right && y >= top && y <= bottom) inside += 1;
    else outside += 1;
  }
  return { inside, outside };
};
