import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { DrawingTime } from "@rubrica/pdf-drawing/placing/drawing-time";
import { Renderer } from "@rubrica/pdf-drawing/placing/pdfium";
import { pagesOf, seenSize } from "@rubrica/pdf-reading/pages";
import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { systemClock } from "@rubrica/runtime";
import { temporaryFolder } from "@rubrica/test-kit";
import { AnnotationMode, getDocument, VerbosityLevel } from "pdfjs-dist/legacy/build/pdf.mjs";

export const PYTHON = process.env.RUBRICA_PYTHON ?? "python3";

/** What a reader makes of files: the same words for two files that it reads and draws alike. */
export type Reader = (paths: readonly string[]) => Promise<string[]>;

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const each =
  (read: (path: string) => Promise<string> | string): Reader =>
  async (paths) => {
    const found: string[] = [];
    for (const path of paths) found.push(await read(path));
    return found;
  };

/**
 * Runs commands of a shell for each file, whose path is in `$path` and whose number, from 0, in `$number`. One shell for
 * all of them: to start a program takes a large process longer than small programs run.
 * @param folder where the commands run
 */
export const forEachFile = (commands: string, paths: readonly string[], folder: string): void => {
  const script = `number=0; for path; do ${commands}; number=$((number + 1)); done`;
  spawnSync("sh", ["-c", script, "sh", ...paths], { cwd: folder, stdio: "ignore" });
};

/** Into a PDF it writes what it prints. */
const POPPLER = [
  'mkdir "$number"',
  'pdftotext -layout "$path" "$number/text"',
  'pdftoppm -r 36 "$path" "$number/page"',
  'pdftocairo -pdf "$path" "$number/print.pdf"',
  'pdftoppm -r 36 "$number/print.pdf" "$number/printed"',
].join("; ");

/** Its text, what it draws, and what it prints. */
const poppler: Reader = async (paths) => {
  using folder = temporaryFolder();
  forEachFile(POPPLER, paths, folder.path);
  return paths.map((_, number) => {
    const own = join(folder.path, `${number}`);
    const made = readdirSync(own).filter((name) => name !== "print.pdf");
    return JSON.stringify(made.sort().map((name) => [name, sha256(readFileSync(join(own, name)))]));
  });
};

const ofPdfjs = dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));

/** Opens a file in pdf.js as the signer's page does: with its fonts, its maps of characters, profiles and decoders. */
export const openAsSigner = (path: string) =>
  getDocument({
    data: new Uint8Array(readFileSync(path)),
    verbosity: VerbosityLevel.ERRORS,
    cMapUrl: join(ofPdfjs, "cmaps/"),
    iccUrl: join(ofPdfjs, "iccs/"),
    standardFontDataUrl: join(ofPdfjs, "standard_fonts/"),
    wasmUrl: join(ofPdfjs, "wasm/"),
    disableFontFace: true,
    useSystemFonts: false,
  });

/** Its text, what stands on the page, and what it would do to print it: it draws in browsers. */
const pdfjs = each(async (path) => {
  const loading = openAsSigner(path);
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
  const time = new DrawingTime({ processorMs: 10_000, elapsedMs: 60_000 }, systemClock);
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
  using folder = temporaryFolder();
  const found = join(folder.path, "found.ndjson");
  spawnSync(PYTHON, [join(import.meta.dirname, "mupdf.py"), found, ...paths]);
  return readFileSync(found, "utf8").trimEnd().split("\n");
};

/** Four that share no code. */
export const readers: Readonly<Record<string, Reader>> = { poppler, pdfjs, pdfium, mupdf };
