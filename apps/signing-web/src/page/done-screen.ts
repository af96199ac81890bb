import type { SigningApi, SigningState } from "./api.ts";
import { h, icon } from "./dom.ts";
import { documentCard } from "./message-screen.ts";
import { heading, type Screen } from "./stage.ts";
import { texts } from "./texts.ts";
import { poll } from "./time.ts";

/** After signing, or when the link is opened again later: the sealed PDF, as soon as it is there. */
export const doneScreen =
  (api: SigningApi, state: SigningState, justNow: boolean): Screen =>
  (signal) => {
    const title = justNow ? texts.done.title : texts.done.already;
    const status = h("p", { class: "message-text busy-text", role: "status" }, texts.done.preparing);
    const actions = h("div", { class: "message-actions" });
    const keep = h("p", { class: "hint", hidden: true }, texts.done.keep);

    const ready = () => {
      status.className = "message-text";
      status.textContent = texts.done.ready;
      const label = [icon("download"), texts.done.download];
      keep.hidden = false;
      actions.replaceChildren(
        h(
          "a",
          { class: "button primary wide", href: api.signedUrl, download: texts.done.fileName(state.document_name) },
          ...label,
        ),
      );
    };
    const waiting = () => {
      status.className = "message-text";
      status.textContent = texts.done.waiting;
    };
    // The other signers may take days: said after some seconds, while the page goes on asking.
    const patience = setTimeout(waiting, 15_000);
    signal.addEventListener("abort", () => clearTimeout(patience), { once: true });
    whenSealed(api, signal)
      .then((sealed) => {
        clearTimeout(patience);
        if (sealed) ready();
        else waiting();
      })
      .catch(() => undefined);

    return {
      title,
      content: h(
        "main",
        { class: "message good" },
        h("div", { class: "badge" }, icon("check")),
        heading(title),
        documentCard(state),
        status,
        actions,
        keep,
      ),
    };
  };

/** Rejects only when the screen is left. */
const whenSealed = async (api: SigningApi, signal: AbortSignal): Promise<boolean> => {
  const there = () => api.sealedReady(signal);
  if (await there().catch(() => false)) return true;
  return poll(there, signal);
};
