import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PdfRefused } from "@rubrica/pdf-reading";
import { Damaged } from "@rubrica/pdf-reading/faults";
import { noteMissing } from "@rubrica/test-kit";
import { has } from "@rubrica/test-kit/pdf/tools";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { borrowedOf } from "./readers/borrowed.ts";
import { colorsOf } from "./readers/colors.ts";
import { contentOf } from "./readers/contents.ts";
import { fontOf } from "./readers/fonts.ts";
import { groupsOf } from "./readers/groups.ts";
import { kindOf } from "./readers/kinds.ts";
import { mistypedOf } from "./readers/mistyped.ts";
import { mutantOf } from "./readers/mutants.ts";
import { outlinedOf } from "./readers/outlined.ts";
import { showAlike, showings, type Tiles } from "./readers/pictures.ts";
import { PYTHON, readers } from "./readers/readers.ts";
import { resourcesOf } from "./readers/resources.ts";

/** Files that were accepted, of which each was changed in its structure, or is of a doubtful kind. */
const WANTED = Number(process.env.RUBRICA_MUTANTS ?? 100);
const MOST_TRIED = WANTED * 20;

const hasMupdf = spawnSync(PYTHON, ["-c", "import fitz"]).status === 0;
if (!hasMupdf) noteMissing("pymupdf (RUBRICA_PYTHON)");

/** A file as it is accepted; undefined where it is refused. */
const accepted = async (bytes: Uint8Array): Promise<Uint8Array | undefined> => {
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
      const bytes = await accepted(mutantOf(seed));
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

test.skipIf(!hasMupdf || !has("pdftoppm") || !has("pdftocairo")).each([
  ["annotations and layers", kindOf],
  ["fonts", fontOf],
  ["contents", contentOf],
  ["pictures, states, boxes and names", resourcesOf],
  ["groups, masks, patterns, lines and parameters", groupsOf],
  ["colors, functions and shadings", colorsOf],
  ["areas with lines around them and forms within forms", outlinedOf],
  ["one value of another type in a file of any of these kinds", mistypedOf],
])(
  "four readers show the same of %s that are accepted, whatever they are made of, on screen and in print",
  { timeout: WANTED * 6_000 },
  async (_, make) => {
    const folder = mkdtempSync(join(tmpdir(), "rubrica-kinds-"));
    const [paths, seeds]: [string[], number[]] = [[], []];
    for (let seed = 0; paths.length < WANTED && seed < MOST_TRIED; seed++) {
      const bytes = await accepted(await make(seed));
      if (!bytes) continue;
      const path = join(folder, `${seed}.pdf`);
      writeFileSync(path, bytes);
      paths.push(path);
      seeds.push(seed);
    }
    expect(paths).toHaveLength(WANTED);
    // One after the other: pdf.js may wait for ever where others hold this process up meanwhile.
    const shown: { name: string; of: Tiles[] }[] = [];
    for (const [name, show] of Object.entries(showings)) shown.push({ name, of: await show(paths) });
    const [first, ...others] = shown;
    for (const { name, of } of others) {
      const differing = seeds.filter((_, index) => !showAlike(first?.of[index] ?? null, of[index] ?? null));
      expect(differing, `files of which ${name} shows something else than ${first?.name}`).toEqual([]);
    }
    expect(first?.of, "files that are drawn").not.toContain(null);
    rmSync(folder, { recursive: true });
  },
);

test.skipIf(!hasMupdf || !has("pdftoppm") || !has("pdftocairo"))(
  "four readers show the same character, or another one, for what is said in two ways of a font that is not brought along",
  { timeout: WANTED * 6_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "rubrica-borrowed-"));
    const [paths, seeds]: [string[], number[]] = [[], []];
    for (let seed = 0; seeds.length < WANTED && seed < MOST_TRIED; seed++) {
      const [one, other] = await Promise.all(borrowedOf(seed).map(accepted));
      if (!one || !other) continue;
      for (const [index, bytes] of [one, other].entries()) {
        const path = join(folder, `${seed}-${index}.pdf`);
        writeFileSync(path, bytes);
        paths.push(path);
      }
      seeds.push(seed);
    }
    expect(seeds).toHaveLength(WANTED);
    const found: { name: string; alike: boolean[] }[] = [];
    for (const [name, show] of Object.entries(showings)) {
      const of = await show(paths);
      const alike = seeds.map((_, index) => showAlike(of[2 * index] ?? null, of[2 * index + 1] ?? null));
      found.push({ name, alike });
    }
    const [first, ...others] = found;
    for (const { name, alike } of others) {
      const differing = seeds.filter((_, index) => alike[index] !== first?.alike[index]);
      expect.soft(differing, `pairs of which ${name} shows something else than ${first?.name}`).toEqual([]);
    }
    rmSync(folder, { recursive: true });
  },
);
