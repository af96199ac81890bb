import type { ReadyState, SigningApi } from "./api.ts";
import { button, h, icon, quoted } from "./dom.ts";
import { timeShown } from "./moment.ts";
import { loadPdfEngine, openPdf, sha256Hex } from "./pdf-document.ts";
import { pdfViewer } from "./pdf-viewer.ts";
import { heading, type Screen } from "./stage.ts";
import { texts } from "./texts.ts";

/** A4 upright: the place that is kept until the first page's size is known. */
const usualRatio = 210 / 297;

export interface ReviewActions {
  /** Goes on to signing; called only when the document could be read. */
  sign(signal: AbortSignal): void;
  reject(signal: AbortSignal): void;
  /** The bytes that came are not those of the state that the page has. */
  changed(): void;
}

/** Who asks for what, the document itself, and the two things that can be done with it. */
export const reviewScreen =
  (api: SigningApi, state: ReadyState, actions: ReviewActions): Screen =>
  (signal) => {
    const notice = h("p", { class: "notice", role: "status" });
    let readable = false;
    const sign = button(
      [icon("pen"), texts.review.sign],
      () => {
        notice.textContent = readable ? "" : texts.review.waitForDocument;
        if (readable) actions.sign(signal);
      },
      { kind: "primary", "aria-disabled": "true" },
    );
    const setReadable = () => {
      readable = true;
      notice.textContent = "";
      sign.setAttribute("aria-disabled", "false");
    };
    const reject = button(texts.review.reject, () => actions.reject(signal), { kind: "secondary" });
    const bar = h(
      "div",
      { class: "actions", role: "region", "aria-label": texts.review.actions },
      notice,
      h("div", { class: "actions-row" }, reject, sign),
    );
    const toolbarPlace = h("div", { class: "toolbar-place" });
    bar.prepend(toolbarPlace);
    const place = documentPlace(api, state, { ...actions, readable: setReadable, toolbar: toolbarPlace }, signal);
    return {
      title: texts.review.title(state.document_name),
      content: h("div", { class: "review" }, h("main", {}, introduction(api, state), place), bar),
    };
  };

const introduction = (api: SigningApi, state: ReadyState): HTMLElement =>
  h(
    "div",
    { class: "intro" },
    h("p", { class: "asks" }, quoted(state.business_name, "business"), ` ${texts.review.asks}`),
    heading(quoted(state.document_name)),
    h(
      "dl",
      { class: "facts" },
      ...(state.account_name === null
        ? []
        : [h("div", {}, h("dt", {}, texts.review.account), h("dd", {}, quoted(state.account_name)))]),
      h("div", {}, h("dt", {}, texts.review.signer), h("dd", {}, quoted(state.signer.name))),
      h("div", {}, h("dt", {}, texts.review.idNumber), h("dd", {}, quoted(state.signer.dni))),
      ...(state.expires_at === undefined
        ? []
        : [h("div", {}, h("dt", {}, texts.review.until), h("dd", {}, timeShown(state.expires_at, state.time_zone)))]),
    ),
    h(
      "p",
      { class: "meta" },
      `${texts.review.pages(state.page_count)} · `,
      openLink(api, () => undefined),
    ),
  );

const openLink = (api: SigningApi, opened: () => void, className = ""): HTMLElement =>
  h(
    "a",
    { href: api.documentUrl, target: "_blank", rel: "noopener noreferrer", class: className, on: { click: opened } },
    texts.review.openPdf,
    h("span", { class: "visually-hidden" }, ` ${texts.review.newTab}`),
  );

interface PlaceActions {
  changed(): void;
  readable(): void;
  toolbar: HTMLElement;
}

/** Where the document appears: how much has come, then its pages, or what to do when it can't be shown. */
const documentPlace = (api: SigningApi, state: ReadyState, actions: PlaceActions, signal: AbortSignal): HTMLElement => {
  const place = h("section", { class: "document", "aria-label": texts.review.documentLabel });
  const load = async (): Promise<void> => {
    const progress = loadingCard();
    place.replaceChildren(progress.element);
    loadPdfEngine().catch(() => undefined);
    const bytes = await api.document(signal, progress.show);
    const sha256 = await sha256Hex(bytes);
    if (sha256 !== null && sha256 !== state.document_sha256) return actions.changed();
    const pdf = await openPdf(bytes);
    const first = (await pdf.getPage(1)).getViewport({ scale: 1 });
    if (signal.aborted) return void (await pdf.loadingTask.destroy());
    const viewer = pdfViewer(pdf, first.width / first.height, signal);
    place.replaceChildren(viewer.element);
    actions.toolbar.replaceChildren(viewer.toolbar);
    await viewer.firstPage;
    actions.readable();
  };
  const start = () => {
    load().catch(() => {
      if (!signal.aborted) place.replaceChildren(failure(api, start, actions.readable));
    });
  };
  start();
  return place;
};

const loadingCard = () => {
  const label = h("p", { role: "status" }, texts.review.loading);
  const bar = h("progress", { max: 1, "aria-label": texts.review.loading });
  const sheet = h("div", { class: "page loading" }, label, bar);
  sheet.style.aspectRatio = String(usualRatio);
  return {
    element: sheet,
    show: (part: number) => {
      bar.value = part;
    },
  };
};

/** Whoever opened the PDF elsewhere has read it, and may sign. */
const failure = (api: SigningApi, retry: () => void, readable: () => void): HTMLElement =>
  h(
    "div",
    { class: "failure", role: "alert" },
    h("h2", {}, texts.review.failedTitle),
    h("p", {}, texts.review.failedText),
    h(
      "div",
      { class: "row" },
      button([icon("refresh"), texts.retry], retry),
      openLink(api, readable, "button secondary"),
    ),
  );
