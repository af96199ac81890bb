import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noteMissing } from "@rubrica/test-kit";
import { has } from "@rubrica/test-kit/pdf/tools";
import { expect, test } from "vitest";
import { admit } from "../../../src/admission/admit.ts";
import { PdfRefused } from "../../../src/index.ts";
import { Damaged } from "../../../src/reading/faults.ts";
import { mutantOf } from "./readers/mutants.ts";
import { PYTHON, readers } from "./readers/readers.ts";

/** Files that were accepted, of which each was changed in its structure. */
const WANTED = Number(process.env.RUBRICA_MUTANTS ?? 100);
const MOST_TRIED = WANTED * 10;

const hasMupdf = spawnSync(PYTHON, ["-c", "import fitz"]).status === 0;
if (!hasMupdf) noteMissing("pymupdf (RUBRICA_PYTHON)");

/** The file as it is accepted; undefined where it is refused. */
const accepted = async (seed: number): Promise<Uint8Array | undefined> => {
  const bytes = mutantOf(seed);
  try {
    return (await admit(bytes)).bytes ?? bytes;
  } catch (error) {
    if (error instanceof PdfRefused || error instanceof Damaged) return undefined;
    throw error;
  }
};

test.skipIf(!hasMupdf || !has("qpdf") || !has("pdftotext") || !has("pdftoppm"))(
  "four readers that share no code find in what is accepted what they find once it is written anew by another program",
  { timeout: WANTED * 6_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "rubrica-readers-"));
    const [taken, rewritten, seeds]: [string[], string[], number[]] = [[], [], []];
    for (let seed = 0; taken.length < WANTED && seed < MOST_TRIED; seed++) {
      const bytes = await accepted(seed);
      if (!bytes) continue;
      const [path, anew] = [join(folder, `${seed}.pdf`), join(folder, `${seed}-anew.pdf`)];
      writeFileSync(path, bytes);
      const { status } = spawnSync("qpdf", ["--object-streams=disable", "--static-id", path, anew]);
      // 2: it takes a space before the cross-reference for the end of the file, which no reader does. 3: it warns.
      if (status === 2) continue;
      expect([0, 3], `qpdf of the mutant ${seed}`).toContain(status);
      taken.push(path);
      rewritten.push(anew);
      seeds.push(seed);
    }
    expect(taken).toHaveLength(WANTED);
    for (const [name, read] of Object.entries(readers)) {
      const [before, after] = [await read(taken), await read(rewritten)];
      expect(before).toHaveLength(WANTED);
      const differing = seeds.filter((_, index) => before[index] !== after[index]);
      expect(differing, `mutants that ${name} reads otherwise`).toEqual([]);
    }
    rmSync(folder, { recursive: true });
  },
);
