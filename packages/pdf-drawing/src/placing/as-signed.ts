import { unlessUnreadable } from "@rubrica/pdf-reading/faults";
import { pagesOf, seenSize } from "@rubrica/pdf-reading/pages";
import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { systemClock } from "@rubrica/runtime";
import { pictureLibrary } from "../picture-library.ts";
import { DrawingTime } from "./drawing-time.ts";
import { type DrawnPage, Renderer } from "./pdfium.ts";

/** Pages that are looked at for the first one that changed, and the time for all of them. */
const MAX_PAGES = 20;
const LIMITS = { processorMs: 1_500, elapsedMs: 4_000 };
/** How large the picture may be, as PNG. */
const MAX_BYTES = 1_000_000;

/** A page as it was when it was signed. */
export interface SignedPage {
  /** How much of the file was there then. */
  signedBytes: number;
  /** From 1. */
  page: number;
  /** In dots. */
  width: number;
  height: number;
  png: Uint8Array;
}

/**
 * The first page that looks otherwise today than when it was signed, as it was then, by the first of several signatures of
 * which there is one; null where no page is seen to, or it can't be drawn within bounds, which are for all together.
 * @param signedBytes how much of the file was there when each was made
 */
export const asSigned = async (bytes: Uint8Array, signedBytes: readonly number[]): Promise<SignedPage | null> => {
  const time = new DrawingTime(LIMITS, systemClock);
  for (const length of signedBytes) {
    const compared = await comparedPages(bytes, length, MAX_PAGES, time);
    if (typeof compared !== "string") return pageOf(compared, length);
    if (time.isOver()) return null;
  }
  return null;
};

const pageOf = async ({ index, picture }: ChangedPage, signedBytes: number): Promise<SignedPage | null> => {
  const { width, height } = picture;
  const png = await pngOf(picture);
  return png.length > MAX_BYTES ? null : { signedBytes, page: index + 1, width, height, png };
};

/** Whether each page was drawn as it is and as it was signed, and looks the same. */
export const looksAsSigned = async (bytes: Uint8Array, signedBytes: number): Promise<boolean> =>
  (await comparedPages(bytes, signedBytes, Number.POSITIVE_INFINITY, new DrawingTime(LIMITS, systemClock))) === "alike";

/** A page that looks otherwise, as it was. */
interface ChangedPage {
  /** From 0. */
  index: number;
  picture: DrawnPage;
}

/** The first of so many pages that looks otherwise, as it was; or that none does, or that not all could be compared. */
const comparedPages = async (
  bytes: Uint8Array,
  signedBytes: number,
  maxPages: number,
  time: DrawingTime,
): Promise<ChangedPage | "alike" | "unknown"> => {
  const before = sizesOf(bytes.subarray(0, signedBytes));
  const after = sizesOf(bytes);
  const then = await Renderer.of(bytes.subarray(0, signedBytes), time);
  try {
    const now = await Renderer.of(bytes, time);
    try {
      // Where others count other pages, nothing is known of any.
      if (then.pageCount !== before.length) return "unknown";
      for (const [index, size] of before.slice(0, maxPages).entries()) {
        const picture = then.picture(index, size);
        if (picture === undefined) return "unknown";
        const today = after[index] && now.picture(index, after[index]);
        // What could not be drawn in time may well look the same.
        if (time.isOver()) return "unknown";
        const isSame = today?.width === picture.width && Buffer.compare(today.bgrx, picture.bgrx) === 0;
        if (!isSame) return { index, picture };
      }
      const areAll = before.length > 0 && before.length <= maxPages && now.pageCount === before.length;
      return areAll && after.length === before.length ? "alike" : "unknown";
    } finally {
      now.close();
    }
  } finally {
    then.close();
  }
};

/** PDFium draws in blue, green, red and nothing. */
const pngOf = async ({ width, height, bgrx }: DrawnPage): Promise<Uint8Array> => {
  const rgb = Buffer.alloc(width * height * 3);
  for (let dot = 0; dot < width * height; dot += 1) {
    rgb[dot * 3] = bgrx[dot * 4 + 2] ?? 0;
    rgb[dot * 3 + 1] = bgrx[dot * 4 + 1] ?? 0;
    rgb[dot * 3 + 2] = bgrx[dot * 4] ?? 0;
  }
  const sharp = await pictureLibrary();
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
};

/** The sizes of a file's pages; none where it can't be read. */
const sizesOf = (bytes: Uint8Array) => unlessUnreadable(() => pagesOf(PdfFile.open(bytes)).map(seenSize)) ?? [];
