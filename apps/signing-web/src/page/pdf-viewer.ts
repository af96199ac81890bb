import type { PDFDocumentProxy } from "pdfjs-dist";
import { button, h, icon } from "./dom.ts";
import { type PageView, pageView } from "./pdf-page.ts";
import { texts } from "./texts.ts";

const zooms = [1, 1.5, 2, 3] as const;

/**
 * All pages below each other, each drawn when it comes near the window and let go when it is far (phones have little
 * canvas memory). Pinching is the browser's own; when it ends, the pages in sight are drawn again, sharp.
 */
export const pdfViewer = (pdf: PDFDocumentProxy, firstRatio: number, signal: AbortSignal) => {
  const pages = Array.from({ length: pdf.numPages }, (_, index) => pageView(pdf, index + 1, firstRatio));
  const column = h("div", { class: "pages" }, ...pages.map(({ element }) => element));
  const redrawSoon = redrawer(pages, signal);
  const toolbar = viewerToolbar(pdf.numPages, (zoom) => {
    column.style.setProperty("--zoom", String(zoom));
    redrawSoon();
  });
  observe(pages, "150% 0px", signal, (page, isNear) => {
    if (isNear) page.show(wantedDensity());
    else page.hide();
  });
  // A line across the middle of the window: the page that it crosses is the one being read.
  observe(pages, "-49% 0px -50% 0px", signal, (page, isRead) => {
    if (isRead) toolbar.setPage(page.number);
  });
  const close = () => {
    for (const page of pages) page.hide();
    pdf.loadingTask.destroy().catch(() => undefined);
  };
  signal.addEventListener("abort", close, { once: true });
  return {
    element: h("div", { class: "pages-scroller" }, column),
    toolbar: toolbar.element,
    firstPage: pages[0]?.drawn ?? Promise.resolve(),
  };
};

/** Tells when a page comes within the window and the margin around it, and when it leaves. */
const observe = (
  pages: readonly PageView[],
  rootMargin: string,
  signal: AbortSignal,
  changed: (page: PageView, isWithin: boolean) => void,
): void => {
  const pageOf = new Map(pages.map((page): [Element, PageView] => [page.element, page]));
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const page = pageOf.get(target);
        if (page !== undefined) changed(page, isIntersecting);
      }
    },
    { rootMargin },
  );
  for (const { element } of pages) observer.observe(element);
  signal.addEventListener("abort", () => observer.disconnect(), { once: true });
};

/** Draws the pages in sight anew, a moment after sizes, the zoom or the place in the document have last changed. */
const redrawer = (pages: readonly PageView[], signal: AbortSignal): (() => void) => {
  let timer = 0;
  const redrawSoon = () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      for (const page of pages) if (isInSight(page.element)) page.show(wantedDensity());
    }, 200);
  };
  const listening = { signal, passive: true };
  for (const event of ["resize", "scroll"]) {
    addEventListener(event, redrawSoon, listening);
    visualViewport?.addEventListener(event, redrawSoon, listening);
  }
  signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  return redrawSoon;
};

/** Device pixels to a CSS pixel, what the fingers have zoomed included, up to three times. */
const wantedDensity = (): number => devicePixelRatio * Math.min(3, Math.max(1, visualViewport?.scale ?? 1));

const isInSight = (element: Element): boolean => {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
};

const viewerToolbar = (pageCount: number, zoomTo: (zoom: number) => void) => {
  let level = 0;
  const label = h("span", { class: "toolbar-page" }, texts.review.page(1, pageCount));
  const announcement = h("span", { class: "visually-hidden", role: "status" });
  const step = (by: number) => {
    level = Math.min(zooms.length - 1, Math.max(0, level + by));
    const zoom = zooms[level] ?? 1;
    announcement.textContent = texts.review.zoomed(zoom * 100);
    refresh();
    zoomTo(zoom);
  };
  const smaller = button(icon("minus"), () => step(-1), { kind: "quiet", "aria-label": texts.review.zoomOut });
  const larger = button(icon("plus"), () => step(1), { kind: "quiet", "aria-label": texts.review.zoomIn });
  // Not `disabled`: a button that is, loses the keyboard's focus.
  const refresh = () => {
    smaller.setAttribute("aria-disabled", String(level === 0));
    larger.setAttribute("aria-disabled", String(level === zooms.length - 1));
  };
  refresh();
  return {
    element: h(
      "div",
      { class: "toolbar", role: "group", "aria-label": texts.review.view },
      smaller,
      label,
      larger,
      announcement,
    ),
    setPage: (page: number) => {
      label.textContent = texts.review.page(page, pageCount);
    },
  };
};
