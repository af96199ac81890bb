import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { init } from "@embedpdf/pdfium";
import { memoryOf } from "@rubrica/pdf-drawing/placing/pdfium-instance";
import { temporaryFolder } from "@rubrica/test-kit";
import { AnnotationMode } from "pdfjs-dist/legacy/build/pdf.mjs";
import { forEachFile, openAsSigner, PYTHON } from "./readers.ts";

/** What readers show of a file's first page, coarsely: programs draw the same lines in their own ways. */

/** The mean color of each tile of a page, from its top left; null where a reader draws nothing of the file. */
export type Tiles = readonly (readonly [red: number, green: number, blue: number])[] | null;

/** A program, on screen or in print. */
export type Showing = (paths: readonly string[]) => Promise<Tiles[]>;

interface Dots {
  width: number;
  height: number;
  /** How many bytes a dot takes, and where among them red, green and blue are. */
  channels: number;
  order: readonly [number, number, number];
  data: Uint8Array;
}

/** Dots of a tile's side, at 36 an inch. */
const TILE = 10;
const RGB = [0, 1, 2] as const;
const BGR = [2, 1, 0] as const;

const tilesOf = ({ width, height, channels, order, data }: Dots): Tiles => {
  const tiles: [number, number, number][] = [];
  for (let top = 0; top + TILE <= height; top += TILE) {
    for (let left = 0; left + TILE <= width; left += TILE) {
      const sums: [number, number, number] = [0, 0, 0];
      for (let dot = 0; dot < TILE * TILE; dot++) {
        const at = ((top + Math.floor(dot / TILE)) * width + left + (dot % TILE)) * channels;
        for (const color of RGB) sums[color] += data[at + order[color]] ?? 0;
      }
      tiles.push(sums.map((sum) => Math.round(sum / TILE ** 2)) as [number, number, number]);
    }
  }
  return tiles;
};

/** The most that a color of a tile may differ, of 255: what is drawn around a line, and in which font. */
const TOLERANCE = 40;

/** Whether two readers show the same. */
export const showAlike = (one: Tiles, other: Tiles): boolean =>
  one?.length === other?.length &&
  (one ?? []).every((tile, index) =>
    tile.every((color, at) => Math.abs(color - (other?.[index]?.[at] ?? 0)) <= TOLERANCE),
  );

const tried = async (show: () => Promise<Dots> | Dots): Promise<Tiles> => {
  try {
    return tilesOf(await show());
  } catch {
    return null;
  }
};

const each =
  (show: (path: string) => Promise<Dots> | Dots): Showing =>
  async (paths) => {
    const found: Tiles[] = [];
    for (const path of paths) found.push(await tried(() => show(path)));
    return found;
  };

/** A picture as `pdftoppm` writes it. */
const portable = (path: string): Dots => {
  const bytes = readFileSync(path);
  const [head = "", width, height] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(bytes.subarray(0, 40).toString("latin1")) ?? [];
  const size = { width: Number(width), height: Number(height) };
  return { ...size, channels: 3, order: RGB, data: bytes.subarray(head.length) };
};

const drawn = (path: string, name: string): string => `pdftoppm -cropbox -r 36 -f 1 -l 1 -singlefile ${path} ${name}`;

/** @param draws makes, of the file "$path", the picture that is named by "$number" */
const byPoppler =
  (draws: string): Showing =>
  async (paths) => {
    using folder = temporaryFolder();
    forEachFile(draws, paths, folder.path);
    return await each((path) => portable(join(folder.path, `${paths.indexOf(path)}.ppm`)))(paths);
  };

interface Canvas {
  width: number;
  height: number;
  getContext(kind: "2d"): { getImageData(x: number, y: number, width: number, height: number): { data: Uint8Array } };
}

const byPdfjs = (intent: "display" | "print") =>
  each(async (path) => {
    const loading = openAsSigner(path);
    try {
      const document = await loading.promise;
      const page = await document.getPage(1);
      const viewport = page.getViewport({ scale: 0.5 });
      const factory = document.canvasFactory as {
        create(width: number, height: number): { canvas: Canvas };
      };
      const { canvas } = factory.create(Math.floor(viewport.width), Math.floor(viewport.height));
      const drawing = { canvas: canvas as never, viewport, intent };
      await page.render({ ...drawing, annotationMode: AnnotationMode.ENABLE }).promise;
      const { width, height } = canvas;
      const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
      return { width, height, channels: 4, order: RGB, data };
    } finally {
      await loading.destroy();
    }
  });

const pdfiumWasm = createRequire(import.meta.url).resolve("@embedpdf/pdfium/pdfium.wasm");
/** Values of FPDF_ANNOT, FPDF_PRINTING and FPDFBitmap_BGRx. */
const [ANNOTATIONS, PRINTING, BGRX] = [0x01, 0x800, 3];

const byPdfium =
  (flags: number): Showing =>
  async (paths) => {
    const wasmBinary = readFileSync(pdfiumWasm);
    const pdfium = await init({ wasmBinary: wasmBinary.buffer.slice(wasmBinary.byteOffset) as ArrayBuffer });
    pdfium.PDFiumExt_Init();
    const show = (path: string): Dots => {
      const bytes = readFileSync(path);
      const at = pdfium.pdfium.wasmExports.malloc(bytes.length);
      memoryOf(pdfium).set(bytes, at);
      const document = pdfium.FPDF_LoadMemDocument(at, bytes.length, "");
      const page = pdfium.FPDF_LoadPage(document, 0);
      const [width, height] = [pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)].map((side) =>
        Math.floor(side / 2),
      ) as [number, number];
      const info = pdfium.PDFiumExt_OpenFormFillInfo();
      const form = pdfium.PDFiumExt_InitFormFillEnvironment(document, info);
      pdfium.FORM_OnAfterLoadPage(page, form);
      const bitmap = pdfium.FPDFBitmap_CreateEx(width, height, BGRX, 0, 0);
      pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xff_ff_ff_ff);
      pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags);
      pdfium.FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, flags);
      const start = pdfium.FPDFBitmap_GetBuffer(bitmap);
      const data = memoryOf(pdfium).slice(start, start + width * height * 4);
      pdfium.FPDFBitmap_Destroy(bitmap);
      pdfium.FORM_OnBeforeClosePage(page, form);
      pdfium.FPDF_ClosePage(page);
      pdfium.PDFiumExt_ExitFormFillEnvironment(form);
      pdfium.PDFiumExt_CloseFormFillInfo(info);
      pdfium.FPDF_CloseDocument(document);
      pdfium.pdfium.wasmExports.free(at);
      return { width, height, channels: 4, order: BGR, data };
    };
    return each(show)(paths);
  };

const byMupdf =
  (usage: "View" | "Print"): Showing =>
  async (paths) => {
    using folder = temporaryFolder();
    const found = join(folder.path, "found.ndjson");
    spawnSync(PYTHON, [join(import.meta.dirname, "pictures.py"), usage, found, ...paths]);
    const lines = readFileSync(found, "utf8").trimEnd().split("\n");
    return lines.map((line) => {
      const told = JSON.parse(line) as [number, number, string] | null;
      if (told === null) return null;
      const [width, height, dots] = told;
      return tilesOf({ width, height, channels: 3, order: RGB, data: Buffer.from(dots, "base64") });
    });
  };

/** Programs that share no code, on screen and in print. */
export const showings: Readonly<Record<string, Showing>> = {
  "Poppler on screen": byPoppler(drawn('"$path"', '"$number"')),
  // Into a PDF it writes what it prints.
  "Poppler in print": byPoppler(
    `pdftocairo -pdf -f 1 -l 1 "$path" "$number.pdf"; ${drawn('"$number.pdf"', '"$number"')}`,
  ),
  "pdf.js on screen": byPdfjs("display"),
  "pdf.js in print": byPdfjs("print"),
  "PDFium on screen": byPdfium(ANNOTATIONS),
  "PDFium in print": byPdfium(ANNOTATIONS | PRINTING),
  "MuPDF on screen": byMupdf("View"),
  "MuPDF in print": byMupdf("Print"),
};
