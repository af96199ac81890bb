import type { PDFDocumentProxy, PDFPageProxy, RenderTask } from "pdfjs-dist";
import { h } from "./dom.ts";
import { contextOf } from "./ink-canvas.ts";
import { texts } from "./texts.ts";

/** Safari on a phone draws nothing on a canvas of more pixels than this. */
const maxCanvasPixels = 16_000_000;

export interface PageView {
  number: number;
  element: HTMLElement;
  /** Draws the page, or draws it again when its size or the wanted device pixels per CSS pixel have changed. */
  show(density: number): void;
  /** Stops drawing and gives the canvas' memory back. */
  hide(): void;
  /** Resolves when the page has been seen for the first time; rejects when it can't be drawn. */
  drawn: Promise<void>;
}

/** One page; `ratio`, width to height, keeps its place until its own size is known. */
export const pageView = (pdf: PDFDocumentProxy, number: number, ratio: number): PageView => {
  const element = h("section", { class: "page", "aria-label": texts.review.page(number, pdf.numPages) });
  element.style.aspectRatio = String(ratio);
  const drawn = deferred();
  let requested = "";
  let task: RenderTask | null = null;
  let drawing = 0;

  const draw = async (density: number, mine: number): Promise<void> => {
    const page = await pdf.getPage(number);
    const natural = page.getViewport({ scale: 1 });
    element.style.aspectRatio = String(natural.width / natural.height);
    const largest = Math.sqrt(maxCanvasPixels / (natural.width * natural.height));
    const scale = Math.min(largest, (element.clientWidth / natural.width) * density);
    if (mine !== drawing) return;
    const viewport = page.getViewport({ scale });
    const canvas = h("canvas", { class: "page-canvas", "aria-hidden": "true" });
    canvas.width = Math.floor(viewport.width);
    canvas.height = Math.floor(viewport.height);
    task = page.render({ canvas, canvasContext: contextOf(canvas), viewport });
    await task.promise;
    if (mine !== drawing) return release(canvas);
    // The old picture stays until the new one is complete: no white flash at each zoom.
    const old = element.querySelector("canvas");
    element.prepend(canvas);
    if (old !== null) release(old);
    element.classList.add("drawn");
    delete element.dataset.failed;
    drawn.resolve();
    await addText(page, element);
  };
  const next = (): number => {
    task?.cancel();
    task = null;
    drawing += 1;
    return drawing;
  };

  return {
    number,
    element,
    drawn: drawn.promise,
    show: (density) => {
      const wanted = `${element.clientWidth} ${density}`;
      if (wanted === requested) return;
      requested = wanted;
      const mine = next();
      draw(density, mine).catch((error: unknown) => {
        if (mine !== drawing) return;
        requested = "";
        element.dataset.failed = texts.review.pageFailed;
        drawn.reject(error);
      });
    },
    hide: () => {
      next();
      requested = "";
      element.classList.remove("drawn");
      for (const canvas of element.querySelectorAll("canvas")) release(canvas);
    },
  };
};

/** A canvas that is only removed keeps its memory until the collector comes; phones run out before. */
const release = (canvas: HTMLCanvasElement): void => {
  canvas.remove();
  canvas.width = 0;
  canvas.height = 0;
};

/** The page's words beside its picture, for those who listen to it. */
const addText = async (page: PDFPageProxy, element: HTMLElement): Promise<void> => {
  if (element.querySelector(".page-text") !== null) return;
  const { items } = await page.getTextContent();
  const words = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
  if (element.querySelector(".page-text") === null)
    element.append(h("div", { class: "page-text visually-hidden" }, words));
};

const deferred = () => {
  let resolve: () => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<void>((resolveIt, rejectIt) => {
    resolve = resolveIt;
    reject = rejectIt;
  });
  // Whoever waits for the first page hears of the failure; the other pages' are not awaited.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
};
