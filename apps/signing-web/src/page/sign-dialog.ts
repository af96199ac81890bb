import { ApiError, type ReadyState, type SigningApi } from "./api.ts";
import { dialog, errorLine, setWaiting } from "./dialog.ts";
import { button, h, icon, uniqueId } from "./dom.ts";
import { type SignatureInput, signatureInput } from "./signature-input.ts";
import { texts } from "./texts.ts";

export interface SignOutcome {
  signed(): void;
  /** The service refused (409); resolves with true when another screen explains why. */
  conflict(): Promise<boolean>;
}

/** Draw, agree, sign. What is drawn stays through every failure, and one press signs once. */
export const signDialog = (api: SigningApi, state: ReadyState, outcome: SignOutcome, signal: AbortSignal) => {
  const titleId = uniqueId("sign");
  const error = errorLine();
  const input = signatureInput(state.signer.name, () => error.say(""), signal);
  const consent = consentBox(state.consent.text, () => error.say(""));
  const submit = h("button", { type: "submit", class: "button primary wide" }, texts.sign.submit);
  const close = button(icon("close"), () => sheet.close(), { kind: "quiet", "aria-label": texts.close });
  const form = h(
    "form",
    { class: "sheet-body", novalidate: true },
    input.element,
    consent.element,
    error.element,
    submit,
  );
  const header = h("div", { class: "sheet-header" }, h("h2", { id: titleId }, texts.sign.title), close);
  const sheet = dialog(titleId, "sheet", signal, header, form);

  let sending = false;
  const post = async (): Promise<void> => api.sign(signatureOf(state, input));
  const send = async (): Promise<void> => {
    sending = true;
    sheet.setBusy(true);
    setWaiting(submit, true, texts.sign.submitting);
    const failure = await post().then(
      () => null,
      (reason: unknown) => reason,
    );
    const explained = failure instanceof ApiError && failure.status === 409 && (await outcome.conflict());
    sending = false;
    sheet.setBusy(false);
    if (failure === null) return outcome.signed();
    if (explained) return;
    setWaiting(submit, false, texts.sign.submit);
    error.say(failure instanceof ApiError && failure.status === 0 ? texts.sign.noNetwork : texts.sign.failed);
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (sending) return;
    const fault = input.fault() ?? consent.fault();
    if (fault !== null) {
      error.say(fault.text);
      fault.element.focus();
      return;
    }
    void send();
  });
  return sheet;
};

const signatureOf = (state: ReadyState, input: SignatureInput) => ({
  garabato: input.image(),
  signature_method: input.method(),
  consent_version: state.consent.version,
  document_sha256: state.document_sha256,
  time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});

const consentBox = (text: string, changed: () => void) => {
  const id = uniqueId("consent");
  const checkbox = h("input", { type: "checkbox", id, on: { change: changed } });
  const box = h(
    "div",
    { class: "consent-text", tabindex: 0, role: "region", "aria-label": texts.sign.consentTitle },
    text,
  );
  return {
    element: h(
      "div",
      { class: "consent" },
      box,
      h("label", { class: "check", for: id }, checkbox, h("span", {}, texts.sign.consent)),
    ),
    fault: () => (checkbox.checked ? null : { text: texts.sign.missingConsent, element: checkbox }),
  };
};
