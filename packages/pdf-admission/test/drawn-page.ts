import { createHash } from "node:crypto";
import { DrawingTime } from "@rubrica/pdf-drawing/placing/drawing-time";
import { Renderer } from "@rubrica/pdf-drawing/placing/pdfium";
import { pagesOf, seenSize } from "@rubrica/pdf-reading/pages";
import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { systemClock } from "@rubrica/runtime";
import { admit } from "../src/admit.ts";

/** The hash of what is drawn of a file's first page, as it is taken in. */
export const drawnOnceAdmitted = async (given: Uint8Array): Promise<string> => {
  const bytes = (await admit(given)).bytes ?? given;
  const renderer = await Renderer.of(bytes, new DrawingTime({ processorMs: 10_000, elapsedMs: 60_000 }, systemClock));
  try {
    const [size] = pagesOf(PdfFile.open(bytes)).map(seenSize);
    const page = size && renderer.picture(0, size);
    return createHash("sha256")
      .update(page?.bgrx ?? "")
      .digest("hex");
  } finally {
    renderer.close();
  }
};
