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
  const scroller = h("div", { class: "pages-scroller" }, column);
  const toolbar = viewerToolbar(pdf.numPages, (zoom) => {
    column.style.setProperty("--zoom", String(zoom));
    redrawSoon();
  });

  const viewOf = new Map(pages.map((view): [Element, PageView] => [view.element, view]));
  const near = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const view = viewOf.get(target);
        if (isIntersecting) view?.show(wantedDensity());
        else view?.hide();
      }
    },
    { rootMargin: "150% 0px" },
  );
  const middle = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries)
        if (isIntersecting) toolbar.setPage(viewOf.get(target)?.number ?? 1);
    },
    { rootMargin: "-49% 0px -50% 0px" },
  );
  for (const { element } of pages) {
    near.observe(element);
    middle.observe(element);
  }

  let timer = 0;
  const redrawSoon = () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      for (const view of pages) if (isInSight(view.element)) view.show(wantedDensity());
    }, 250);
  };
  visualViewport?.addEventListener("resize", redrawSoon, { signal });
  addEventListener("resize", redrawSoon, { signal });
  visualViewport?.addEventListener("scroll", redrawSoon, { signal });
  signal.addEventListener(
    "abort",
    () => {
      near.disconnect();
      middle.disconnect();
      clearTimeout(timer);
      for (const view of pages) view.hide();
      pdf.loadingTask.destroy().catch(() => undefined);
    },
    { once: true },
  );
  return { element: scroller, toolbar: toolbar.element, firstPage: pages[0]?.drawn ?? Promise.resolve() };
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
