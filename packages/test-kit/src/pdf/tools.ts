import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Verification } from "@rubrica/pdf";
import { verify } from "@rubrica/pdf/verification";
import { systemClock } from "@rubrica/runtime";
import sharp from "sharp";
import { onTestFinished } from "vitest";
import { repository } from "../repository.ts";
import { hasPythonModule, noteMissing, python, toolsMissing } from "../tools.ts";

/** Whether a program is there; tests that need one that is not are skipped. */
export const has = (program: string): boolean => !toolsMissing(program);

/** What is found of a file today, with nothing known beside it but whose seals are this service's, and whose time is trusted. */
export const verifyNow = (
  bytes: Uint8Array,
  roots: readonly Uint8Array[],
  timestampRoots: readonly Uint8Array[] = [],
): Verification => verify(bytes, roots, { now: systemClock.now(), timestampRoots });

/** A folder that goes away with the test. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "rubrica-pdf-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Writes bytes to a file that goes away with the test. */
export const temporaryFile = (bytes: Uint8Array, name = "document.pdf"): string => {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, bytes);
  return path;
};

/** What a program printed; throws when it fails. */
export const output = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** A rendered page: grey values, one a pixel. */
export interface RenderedPage {
  width: number;
  height: number;
  grey: Buffer;
}

/** Renders one page (from 1) at 72 dots an inch, so that a pixel is a point. */
export const rendered = async (bytes: Uint8Array, page: number, dotsPerInch = 72): Promise<RenderedPage> => {
  const pdf = temporaryFile(bytes);
  const picture = join(temporaryFolder(), "page");
  output(
    "pdftoppm",
    "-r",
    String(dotsPerInch),
    "-f",
    String(page),
    "-l",
    String(page),
    "-singlefile",
    "-png",
    "-cropbox",
    pdf,
    picture,
  );
  const { data, info } = await sharp(readFileSync(`${picture}.png`))
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, grey: data };
};

/** The smallest rectangle that holds all pixels in which two pictures of one size differ, or null. */
export const difference = (
  one: RenderedPage,
  other: RenderedPage,
): { left: number; top: number; right: number; bottom: number } | null => {
  if (one.width !== other.width || one.height !== other.height) throw new Error("the pictures differ in size");
  const box = { left: one.width, top: one.height, right: -1, bottom: -1 };
  for (let index = 0; index < one.grey.length; index += 1) {
    if (Math.abs((one.grey[index] ?? 0) - (other.grey[index] ?? 0)) < 24) continue;
    const [x, y] = [index % one.width, Math.floor(index / one.width)];
    box.left = Math.min(box.left, x);
    box.top = Math.min(box.top, y);
    box.right = Math.max(box.right, x);
    box.bottom = Math.max(box.bottom, y);
  }
  return box.right < 0 ? null : box;
};

/** The folder of real PDFs, or null where it is missing. */
export const corpusFolder = (): string | null => {
  const folder = process.env.RUBRICA_CORPUS ?? join(repository, "..", "shared", "corpus");
  if (existsSync(join(folder, "pdf"))) return join(folder, "pdf");
  noteMissing("the corpus (RUBRICA_CORPUS)");
  return null;
};

/** Whether pyHanko is there. */
export const hasPyHanko = (): boolean => hasPythonModule("pyhanko.sign.validation", "pyHanko");

/** pyHanko's verdict on a signature. */
export interface Verdict {
  field: string;
  intact: boolean;
  valid: boolean;
  bottomLine: boolean;
  coverage: string;
  modifications: string | null;
  timestamped: boolean;
  /** With `lta`: the indication of ETSI EN 319 102-1. */
  ades?: string;
}

/** What pyHanko says of each signature; the profiles are explained in validate.py. `at`: when it looks, for `lta`. */
export const pyHankoVerdicts = (
  bytes: Uint8Array,
  profile: "plain" | "trust-only" | "lta",
  roots: readonly string[],
  crls: readonly string[] = [],
  at: number | null = null,
): Verdict[] => {
  const script = join(import.meta.dirname, "validate.py");
  const file = temporaryFile(bytes);
  const profiled = at === null ? profile : `${profile}@${new Date(at).toISOString()}`;
  return JSON.parse(output(python, script, file, profiled, ...roots, ...(crls.length > 0 ? ["--", ...crls] : [])));
};
