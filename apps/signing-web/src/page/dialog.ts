import { type Child, h } from "./dom.ts";

export interface Dialog {
  element: HTMLDialogElement;
  open(): void;
  close(): void;
  /** While busy it can't be closed, and says so to those who listen. */
  setBusy(busy: boolean): void;
}

/**
 * A modal dialog: the browser keeps the focus inside, gives it back afterwards, and closes on Escape. It leaves the
 * page with the screen it belongs to.
 */
export const dialog = (titleId: string, className: string, signal: AbortSignal, ...content: Child[]): Dialog => {
  const element = h("dialog", { class: className, "aria-labelledby": titleId }, ...content);
  let busy = false;
  element.addEventListener("cancel", (event) => {
    if (busy) event.preventDefault();
  });
  element.addEventListener("close", () => document.documentElement.classList.remove("dialog-open"));
  signal.addEventListener(
    "abort",
    () => {
      element.close();
      element.remove();
      document.documentElement.classList.remove("dialog-open");
    },
    { once: true },
  );
  return {
    element,
    open: () => {
      if (!element.isConnected) document.body.append(element);
      document.documentElement.classList.add("dialog-open");
      element.showModal();
    },
    close: () => {
      if (!busy) element.close();
    },
    setBusy: (value) => {
      busy = value;
      element.setAttribute("aria-busy", String(value));
    },
  };
};

/** A place for an error: empty until something is wrong, then read out at once. */
export const errorLine = () => {
  const element = h("p", { class: "error", role: "alert" });
  return {
    element,
    say: (text: string) => {
      element.textContent = text;
      if (text !== "") element.scrollIntoView({ block: "nearest" });
    },
  };
};

/** A form's button that is waiting for an answer: pressed again it does nothing, and it keeps the focus. */
export const setWaiting = (submit: HTMLButtonElement, waiting: boolean, label: string): void => {
  submit.setAttribute("aria-disabled", String(waiting));
  submit.classList.toggle("waiting", waiting);
  submit.textContent = label;
};
