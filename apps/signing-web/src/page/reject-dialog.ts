import { ApiError, type SigningApi } from "./api.ts";
import { dialog, errorLine, setWaiting } from "./dialog.ts";
import { button, h, uniqueId } from "./dom.ts";
import { texts } from "./texts.ts";

const maxReasonLength = 500;

/** Asks for the reason and for certainty in one step: a rejection ends the document for everybody. */
export const rejectDialog = (api: SigningApi, outcome: { rejected(): void; conflict(): void }, signal: AbortSignal) => {
  const ids = { title: uniqueId("reject"), reason: uniqueId("reason"), hint: uniqueId("hint") };
  const error = errorLine();
  const reason = h("textarea", {
    id: ids.reason,
    class: "field",
    rows: 3,
    maxlength: maxReasonLength,
    required: true,
    "aria-describedby": ids.hint,
    on: { input: () => error.say("") },
  });
  const submit = h("button", { type: "submit", class: "button danger" }, texts.reject.submit);
  const back = button(texts.reject.back, () => box.close());
  const form = h(
    "form",
    { class: "sheet-body", novalidate: true },
    h("h2", { id: ids.title }, texts.reject.title),
    h("p", {}, texts.reject.text),
    h("label", { for: ids.reason, class: "label" }, texts.reject.reason),
    reason,
    h("p", { id: ids.hint, class: "hint" }, texts.reject.hint(maxReasonLength)),
    error.element,
    h("div", { class: "row" }, back, submit),
  );
  const box = dialog(ids.title, "sheet", signal, form);

  let sending = false;
  const send = async (text: string): Promise<void> => {
    sending = true;
    box.setBusy(true);
    setWaiting(submit, true, texts.reject.submitting);
    const failure = await api.reject(text).then(
      () => null,
      (cause: unknown) => cause,
    );
    sending = false;
    box.setBusy(false);
    if (failure === null) return outcome.rejected();
    if (failure instanceof ApiError && failure.status === 409) return outcome.conflict();
    setWaiting(submit, false, texts.reject.submit);
    error.say(failure instanceof ApiError && failure.status === 0 ? texts.reject.noNetwork : texts.reject.failed);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (sending) return;
    const text = reason.value.trim();
    if (text === "") {
      error.say(texts.reject.missing);
      reason.focus();
      return;
    }
    void send(text);
  });
  return box;
};
