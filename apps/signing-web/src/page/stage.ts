import { h, icon } from "./dom.ts";
import { texts } from "./texts.ts";

/** One screen at a time; the signal ends with the screen. */
export type Screen = (signal: AbortSignal) => { title: string; content: Node };

export interface Stage {
  show(screen: Screen): void;
}

/** Shows screens in `root`, names each in the tab, and puts the focus on its heading, so that it is read out. */
export const stageIn = (root: HTMLElement): Stage => {
  let current = new AbortController();
  return {
    show: (screen) => {
      current.abort();
      current = new AbortController();
      const { title, content } = screen(current.signal);
      document.title = `${title} · ${texts.brand}`;
      root.replaceChildren(brand(), content);
      scrollTo(0, 0);
      root.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
    },
  };
};

/** A screen's heading, which takes the focus when the screen comes. */
export const heading = (...children: (Node | string)[]): HTMLElement => h("h1", { tabindex: -1 }, ...children);

const brand = (): HTMLElement =>
  h("header", { class: "brand" }, h("span", { class: "brand-mark" }, icon("signature")), texts.brand);
