import { readFile } from "node:fs/promises";
import { DrawingTime } from "@rubrica/pdf-drawing/placing/drawing-time";
import { Renderer } from "@rubrica/pdf-drawing/placing/pdfium";
import { openDocument } from "@rubrica/pdf-reading/open";
import { seenSize } from "@rubrica/pdf-reading/pages";
import { systemClock } from "@rubrica/runtime";
import type { RenderedPage } from "./check.ts";

const LIMITS = { processorMs: 10_000, elapsedMs: 60_000 };
const [DOT_BYTES, CHANNELS] = [4, 3];

/** A page (from 1) as PDFium draws it, a dot a point; null where it can't be drawn. */
export const pictureByPdfium = async (path: string, page: number): Promise<RenderedPage | null> => {
  const bytes = await readFile(path);
  const { pages } = await openDocument(bytes);
  const found = pages[page - 1];
  if (found === undefined) return null;
  const renderer = await Renderer.of(bytes, new DrawingTime(LIMITS, systemClock));
  try {
    const drawn = renderer.picture(page - 1, seenSize(found));
    if (drawn === undefined) return null;
    const grey = Buffer.alloc(drawn.width * drawn.height);
    for (let dot = 0; dot < grey.length; dot += 1) {
      const colors = drawn.bgrx.subarray(dot * DOT_BYTES, dot * DOT_BYTES + CHANNELS);
      grey[dot] = colors.reduce((sum, color) => sum + color, 0) / CHANNELS;
    }
    return { width: drawn.width, height: drawn.height, grey };
  } finally {
    renderer.close();
  }
};
