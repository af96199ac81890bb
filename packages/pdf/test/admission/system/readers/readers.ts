import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DrawingTime } from "@rubrica/pdf-drawing/placing/drawing-time";
import { Renderer } from "@rubrica/pdf-drawing/placing/pdfium";
import { pagesOf, seenSize } from "@rubrica/pdf-reading/pages";
import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { systemClock } from "@rubrica/runtime";
import { AnnotationMode, getDocument, VerbosityLevel } from "pdfjs-dist/legacy/build/pdf.mjs";

export const PYTHON = process.env.RUBRICA_PYTHON ?? "python3";

/** What a reader makes of files: the same words for two files that it reads and draws alike. */
export type Reader = (paths: readonly string[]) => Promise<string[]>;

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const run = (program: string, ...args: string[]) => spawnSync(program, args, { encoding: "utf8", maxBuffer: 1e8 });
const each =
  (read: (path: string) => Promise<string> | string): Reader =>
  async (paths) => {
    const found: string[] = [];
    for (const path of paths) found.push(await read(path));
    return found;
  };

/** Its text, what it draws, and what it prints. */
const poppler = each((path) => {
  const folder = mkdtempSync(join(tmpdir(), "rubrica-poppler-"));
  const text = run("pdftotext", "-layout", path, "-").stdout;
  run("pdftoppm", "-r", "36", path, join(folder, "page"));
  // Into a PDF it writes what it prints.
  run("pdftocairo", "-pdf", path, join(folder, "print.pdf"));
  run("pdftoppm", "-r", "36", join(folder, "print.pdf"), join(folder, "printed"));
  const drawn = readdirSync(folder)
    .filter((name) => !name.endsWith(".pdf"))
    .sort()
    .map((name) => [name, sha256(readFileSync(join(folder, name)))]);
  rmSync(folder, { recursive: true });
  return JSON.stringify([text, drawn]);
});

/** Its text, what stands on the page, and what it would do to print it: it draws in browsers. */
const pdfjs = each(async (path) => {
  const options = { data: new Uint8Array(readFileSync(path)), verbosity: VerbosityLevel.ERRORS };
  const loading = getDocument({ ...options, useSystemFonts: false });
  try {
    const document = await loading.promise;
    const pages: unknown[] = [];
    for (let number = 1; number <= document.numPages; number++) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const annotations = (await page.getAnnotations()).map(({ subtype, rect }) => [subtype, rect]);
      const printed = (await page.getOperatorList({ intent: "print", annotationMode: AnnotationMode.ENABLE })).fnArray;
      pages.push([
        page.view,
        page.rotate,
        items.map((item) => ("str" in item ? [item.str, item.transform] : [])),
        annotations,
        printed,
      ]);
    }
    return JSON.stringify(pages);
  } catch (error) {
    return error instanceof Error ? error.name : "failed";
  } finally {
    await loading.destroy();
  }
});

/** What it draws. */
const pdfium = each(async (path) => {
  const bytes = readFileSync(path);
  const file = PdfFile.open(bytes);
  const time = new DrawingTime({ processorMs: 10_000, passingMs: 60_000 }, systemClock);
  const renderer = await Renderer.of(bytes, time);
  try {
    const pages = pagesOf(file)
      .map(seenSize)
      .map((size, index) => {
        const picture = renderer.picture(index, size);
        return picture ? sha256(picture.bgrx) : "not drawn";
      });
    return JSON.stringify([renderer.pageCount, pages]);
  } finally {
    renderer.close();
  }
});

const mupdf: Reader = async (paths) => {
  // Into a file: MuPDF says things beside.
  const folder = mkdtempSync(join(tmpdir(), "rubrica-mupdf-"));
  const found = join(folder, "found.ndjson");
  run(PYTHON, join(import.meta.dirname, "mupdf.py"), found, ...paths);
  const lines = readFileSync(found, "utf8").trimEnd().split("\n");
  rmSync(folder, { recursive: true });
  return lines;
};

/** Four that share no code. */
export const readers: Readonly<Record<string, Reader>> = { poppler, pdfjs, pdfium, mupdf };
