import type { SignatureMethod } from "./api.ts";
import { button, h, icon, uniqueId } from "./dom.ts";
import { strokesImage, typedImage } from "./ink-canvas.ts";
import { signaturePad } from "./signature-pad.ts";
import { texts } from "./texts.ts";

export interface SignatureInput {
  element: HTMLElement;
  /** What is missing, and the element that mends it; null when there is a signature. */
  fault(): { text: string; element: HTMLElement } | null;
  /** The signature as a PNG data URI. Throws when something is missing. */
  image(): string;
  method(): SignatureMethod;
}

interface Way extends SignatureInput {
  label: string;
}

/** Two ways to give a signature: to draw it, or, for those who can't, to write one's name. */
export const signatureInput = (signerName: string, changed: () => void, signal: AbortSignal): SignatureInput => {
  const ways = [drawing(changed, signal), typing(signerName, changed)] as const;
  let chosen: Way = ways[0];
  const choose = (way: Way) => {
    chosen = way;
    for (const each of ways) each.element.hidden = each !== way;
    changed();
  };
  choose(chosen);
  const group = uniqueId("way");
  const choices = ways.map((way) => {
    const radio = h("input", {
      type: "radio",
      name: group,
      class: "visually-hidden",
      checked: way === chosen,
      on: { change: () => choose(way) },
    });
    return h("label", { class: "segment" }, radio, h("span", {}, way.label));
  });
  return {
    element: h(
      "div",
      { class: "signature" },
      h("fieldset", { class: "segments" }, h("legend", { class: "visually-hidden" }, texts.sign.how), ...choices),
      ...ways.map(({ element }) => element),
    ),
    fault: () => chosen.fault(),
    image: () => chosen.image(),
    method: () => chosen.method(),
  };
};

const drawing = (changed: () => void, signal: AbortSignal): Way => {
  const announcement = h("span", { class: "visually-hidden", role: "status" });
  const refresh = () => {
    for (const control of [undo, clear]) control.setAttribute("aria-disabled", String(pad.isEmpty()));
    announcement.textContent = pad.isEmpty() ? "" : texts.sign.drawn;
    changed();
  };
  const pad = signaturePad(refresh, signal);
  const undo = button([icon("undo"), texts.sign.undo], () => pad.undo(), { kind: "quiet", "aria-disabled": "true" });
  const clear = button([icon("trash"), texts.sign.clear], () => pad.clear(), {
    kind: "quiet",
    "aria-disabled": "true",
  });
  return {
    label: texts.sign.draw,
    element: h("div", { class: "way" }, pad.element, h("div", { class: "pad-tools" }, undo, clear), announcement),
    fault: () => {
      if (pad.isSignature()) return null;
      return { text: pad.isEmpty() ? texts.sign.missingInk : texts.sign.tooShort, element: pad.focusable };
    },
    image: () => strokesImage(pad.strokes()),
    method: () => "drawn",
  };
};

/** As long as a signer's name may be (specification, section 8). */
const maxNameLength = 50;

const typing = (signerName: string, changed: () => void): Way => {
  const id = uniqueId("typed");
  const preview = h("div", { class: "typed-preview", "aria-hidden": "true" }, " ");
  const input = h("input", {
    id,
    type: "text",
    class: "field",
    maxlength: maxNameLength,
    autocomplete: "name",
    autocapitalize: "words",
    spellcheck: "false",
    placeholder: signerName,
    on: {
      input: () => {
        preview.textContent = input.value.trim() || " ";
        changed();
      },
    },
  });
  const name = () => input.value.trim();
  return {
    label: texts.sign.type,
    element: h("div", { class: "way" }, h("label", { for: id, class: "label" }, texts.sign.typedLabel), input, preview),
    fault: () => (name().length >= 2 ? null : { text: texts.sign.missingName, element: input }),
    image: () => typedImage(name()),
    method: () => "typed",
  };
};
