import type { WrappedPdfiumModule } from "@embedpdf/pdfium";
import { systemClock } from "@rubrica/runtime";
import { DrawingTime } from "./drawing-time.ts";
import { memoryOf, PdfiumInstance } from "./pdfium-instance.ts";
import { fileOf, streamOf } from "./small-file.ts";

/** Pictures of two colors that are compressed so that only who draws them knows their dots. */

/** A picture in JBIG2 (ITU-T T.88). */
export interface Jbig2Picture {
  width: number;
  height: number;
  data: Uint8Array;
  /** What it shares with others. */
  globals: Uint8Array | undefined;
}

/** A page of 300 dots an inch takes 0.2 s where it is told dot by dot, and less by symbols. */
const LIMITS = { processorMs: 5_000, elapsedMs: 60_000 };
/** The format of a byte for each dot (FPDFBitmap_Gray), which PDFium makes of two colors. */
const GREY = 1;
/** The bit that is set in a byte of a light dot. */
const LIGHT = 0x80;

/** Draws pictures of one file, for as long as that may take. */
export class Jbig2Drawing {
  readonly #time = new DrawingTime(LIMITS, systemClock);

  /**
   * The dots of a picture, a bit each, in rows of whole bytes, as a file would hold them that is not compressed; null where
   * it is broken. Undefined where it takes longer, or more memory, than it may.
   */
  async bits(picture: Jbig2Picture): Promise<Uint8Array | null | undefined> {
    if (this.#time.isOver()) return undefined;
    const instance = await PdfiumInstance.ready();
    const bits = instance.attempt(this.#time.leftMs(), (pdfium) => drawn(pdfium, picture));
    instance.rest(() => undefined);
    return bits;
  }
}

/** A file of one page that draws nothing but the picture. */
const pageOf = ({ width, height, data, globals }: Jbig2Picture): Uint8Array => {
  const shared = globals === undefined ? "" : "/DecodeParms<</JBIG2Globals 5 0 R>>";
  const told = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/BitsPerComponent 1/ColorSpace/DeviceGray`;
  return fileOf([
    Buffer.from("<</Type/Catalog/Pages 2 0 R>>"),
    Buffer.from("<</Type/Pages/Kids[3 0 R]/Count 1>>"),
    Buffer.from("<</Type/Page/Parent 2 0 R/MediaBox[0 0 1 1]/Contents 6 0 R/Resources<</XObject<</I 4 0 R>>>>>>"),
    streamOf(`${told}/Filter/JBIG2Decode${shared}`, data),
    streamOf("", globals ?? new Uint8Array()),
    streamOf("", Buffer.from("/I Do")),
  ]);
};

const drawn = (pdfium: WrappedPdfiumModule, picture: Jbig2Picture): Uint8Array | null => {
  const { malloc, free } = pdfium.pdfium.wasmExports;
  const bytes = pageOf(picture);
  const at = malloc(bytes.length);
  memoryOf(pdfium).set(bytes, at);
  const document = pdfium.FPDF_LoadMemDocument(at, bytes.length, "");
  const page = pdfium.FPDF_LoadPage(document, 0);
  const bitmap = pdfium.FPDFImageObj_GetBitmap(pdfium.FPDFPage_GetObject(page, 0));
  const bits = bitmap === 0 ? null : bitsIn(pdfium, bitmap, picture);
  if (bitmap !== 0) pdfium.FPDFBitmap_Destroy(bitmap);
  pdfium.FPDF_ClosePage(page);
  pdfium.FPDF_CloseDocument(document);
  free(at);
  return bits;
};

/** Null where what was drawn is of another size. */
const bitsIn = (
  pdfium: WrappedPdfiumModule,
  bitmap: number,
  { width, height }: { width: number; height: number },
): Uint8Array | null => {
  const isTold =
    pdfium.FPDFBitmap_GetFormat(bitmap) === GREY &&
    pdfium.FPDFBitmap_GetWidth(bitmap) === width &&
    pdfium.FPDFBitmap_GetHeight(bitmap) === height;
  if (!isTold) return null;
  const dots = memoryOf(pdfium).subarray(pdfium.FPDFBitmap_GetBuffer(bitmap));
  const stride = pdfium.FPDFBitmap_GetStride(bitmap);
  const row = Math.ceil(width / 8);
  const bits = new Uint8Array(row * height);
  // What stands behind a row's last dot is none of the picture's.
  const within = 0xff << (row * 8 - width);
  for (let y = 0; y < height; y += 1) {
    for (let byte = 0; byte < row; byte += 1) {
      const told = eightDots(dots, y * stride + byte * 8);
      bits[y * row + byte] = byte === row - 1 ? told & within : told;
    }
  }
  return bits;
};

/** Whether each of eight dots is light, the first one in the highest bit. A loop of eight takes four times as long. */
const eightDots = (dots: Uint8Array, at: number): number =>
  lightBit(dots, at) |
  (lightBit(dots, at + 1) >> 1) |
  (lightBit(dots, at + 2) >> 2) |
  (lightBit(dots, at + 3) >> 3) |
  (lightBit(dots, at + 4) >> 4) |
  (lightBit(dots, at + 5) >> 5) |
  (lightBit(dots, at + 6) >> 6) |
  (lightBit(dots, at + 7) >> 7);

const lightBit = (dots: Uint8Array, at: number): number => (dots[at] as number) & LIGHT;
