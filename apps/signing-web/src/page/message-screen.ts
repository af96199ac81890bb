import { type Child, h, type IconName, icon, quoted } from "./dom.ts";
import { heading, type Screen } from "./stage.ts";
import { texts } from "./texts.ts";

export type Tone = "good" | "bad" | "busy" | "neutral";

export interface Message {
  tone: Tone;
  icon: IconName;
  title: string;
  text: string;
  /** Which document this is about, where that is known. */
  about?: { document_name: string; business_name: string } | undefined;
  actions?: Child[];
}

/** A screen that says one thing, and what can be done about it. */
export const messageScreen =
  (message: Message): Screen =>
  () => ({
    title: message.title,
    content: h(
      "main",
      { class: `message ${message.tone}` },
      h("div", { class: "badge" }, icon(message.icon)),
      heading(message.title),
      message.about && documentCard(message.about),
      h("p", { class: "message-text" }, message.text),
      h("div", { class: "message-actions" }, ...(message.actions ?? [])),
    ),
  });

/** The document's name and who sent it. */
export const documentCard = (about: { document_name: string; business_name: string }): HTMLElement =>
  h(
    "div",
    { class: "card" },
    icon("file"),
    h(
      "div",
      { class: "card-text" },
      quoted(about.document_name, "card-name"),
      h("span", { class: "card-from" }, `${texts.from} `, quoted(about.business_name)),
    ),
  );
