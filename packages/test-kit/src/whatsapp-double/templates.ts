import { z } from "zod";
import { MetaError } from "./errors.ts";

const MAX_TEXT = 1_024;
const PLACE = /\{\{(\d+)\}\}/g;
/** Meta refuses a text that says little beside its variables. */
const WORDS_OF_A_PLACE = 3;

const QuickReply = z.strictObject({ type: z.literal("QUICK_REPLY"), text: z.string().min(1).max(25) });
const Url = z.strictObject({
  type: z.literal("URL"),
  text: z.string().min(1).max(25),
  url: z.string().max(2_000),
  example: z.array(z.string()).length(1).optional(),
});
const Body = z.strictObject({
  type: z.literal("BODY"),
  text: z.string().min(1).max(MAX_TEXT),
  example: z.strictObject({ body_text: z.array(z.array(z.string())).length(1) }).optional(),
});
const Buttons = z.strictObject({
  type: z.literal("BUTTONS"),
  buttons: z
    .array(z.discriminatedUnion("type", [QuickReply, Url]))
    .min(1)
    .max(10),
});
const Submission = z.strictObject({
  name: z.string().regex(/^[a-z0-9_]{1,512}$/),
  language: z.string().regex(/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/),
  category: z.enum(["UTILITY", "MARKETING", "AUTHENTICATION"]),
  components: z.array(z.discriminatedUnion("type", [Body, Buttons])).min(1),
});

/** A template that was submitted and approved. */
export interface ApprovedTemplate {
  name: string;
  language: string;
  body: string;
  buttons: readonly z.infer<typeof Buttons>["buttons"][number][];
}

/** How many values a text takes: its places are numbered from 1, each once. */
export const placesOf = (text: string): number => [...text.matchAll(PLACE)].length;

/** The text with values in its places. */
export const filled = (text: string, values: readonly string[]): string =>
  text.replace(PLACE, (_place, number) => values[Number(number) - 1] ?? "");

const refuse = (details: string): never => {
  throw new MetaError(100, details);
};

/** A submission (`POST /{business account}/message_templates`), approved. @throws {MetaError} */
export const approved = (body: unknown): ApprovedTemplate => {
  const parsed = Submission.safeParse(body);
  if (!parsed.success) return refuse(parsed.error.issues.map(({ path }) => path.join(".")).join(", "));
  const { name, language, components } = parsed.data;
  const text = components.find((one) => one.type === "BODY");
  if (!text) return refuse("a template has a body");
  checkText(text.text, text.example?.body_text[0] ?? []);
  const buttons = components.find((one) => one.type === "BUTTONS")?.buttons ?? [];
  for (const button of buttons) if (button.type === "URL") checkUrl(button);
  return { name, language, body: text.text, buttons };
};

const checkText = (text: string, examples: readonly string[]): void => {
  const numbers = [...text.matchAll(PLACE)].map(([, number]) => Number(number));
  if (numbers.some((number, index) => number !== index + 1)) refuse("variables are numbered in their order");
  if (/^\s*\{\{|\}\}\s*$/.test(text)) refuse("variables can't be at the start or end of the template");
  if (examples.length !== numbers.length) refuse("each variable needs an example");
  const words = text.replace(PLACE, "").match(/\p{L}+/gu)?.length ?? 0;
  if (words < WORDS_OF_A_PLACE * numbers.length) refuse("too many variables for the length of the text");
};

const checkUrl = ({ url, example }: z.infer<typeof Url>): void => {
  const places = placesOf(url);
  if (places > 1 || (places === 1 && !url.endsWith("{{1}}"))) refuse("a URL has one variable, at its end");
  if (places === 1 && !example) refuse("a URL with a variable needs an example");
  if (!URL.canParse(url.replace(PLACE, "x"))) refuse("the URL is none");
};
