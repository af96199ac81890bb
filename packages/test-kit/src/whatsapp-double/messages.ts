import { z } from "zod";
import { MetaError } from "./errors.ts";
import { type ApprovedTemplate, filled, placesOf } from "./templates.ts";

const MAX_TEXT = 4_096;
const MAX_TEMPLATE_TEXT = 1_024;
const MAX_OPAQUE = 512;
const MAX_PAYLOAD = 128;

const TextParameter = z.strictObject({ type: z.literal("text"), text: z.string() });
const index = z.string().regex(/^\d$/);
const Component = z.union([
  z.strictObject({ type: z.literal("body"), parameters: z.array(TextParameter) }),
  z.strictObject({
    type: z.literal("button"),
    sub_type: z.literal("quick_reply"),
    index,
    parameters: z.array(z.strictObject({ type: z.literal("payload"), payload: z.string().max(MAX_PAYLOAD) })).length(1),
  }),
  z.strictObject({
    type: z.literal("button"),
    sub_type: z.literal("url"),
    index,
    parameters: z.array(TextParameter).length(1),
  }),
]);
const common = {
  messaging_product: z.literal("whatsapp"),
  recipient_type: z.literal("individual").optional(),
  to: z.string(),
  biz_opaque_callback_data: z.string().max(MAX_OPAQUE).optional(),
};
const Message = z.discriminatedUnion("type", [
  z.strictObject({
    ...common,
    type: z.literal("text"),
    text: z.strictObject({ body: z.string().min(1).max(MAX_TEXT), preview_url: z.boolean().optional() }),
  }),
  z.strictObject({
    ...common,
    type: z.literal("template"),
    template: z.strictObject({
      name: z.string(),
      language: z.strictObject({ code: z.string(), policy: z.literal("deterministic").optional() }),
      components: z.array(Component).optional(),
    }),
  }),
]);
type TemplateSent = Extract<z.infer<typeof Message>, { type: "template" }>["template"];

/** A button as the phone shows it. */
export type ShownButton = { label: string } & ({ payload: string } | { url: string });

/** A message that was taken. */
export interface TakenMessage {
  wamid: string;
  /** As it was given. */
  to: string;
  type: "text" | "template";
  /** Of a template, its name. */
  template: string | null;
  text: string;
  buttons: readonly ShownButton[];
  opaque: string | null;
}

/** What is said of a message that Meta would take. @throws {MetaError} */
export const readMessage = (
  body: unknown,
  find: (name: string, language: string) => ApprovedTemplate | undefined,
): Omit<TakenMessage, "wamid"> => {
  const parsed = Message.safeParse(body);
  if (!parsed.success) throw refusalOf(body, parsed.error.issues);
  const { to, type, biz_opaque_callback_data: opaque = null } = parsed.data;
  if (!/^\+?\d{8,15}$/.test(to.replace(/[\s()-]/g, "")))
    throw new MetaError(131009, "Recipient phone number is not valid");
  if (parsed.data.type === "text") {
    return { to, type, template: null, text: parsed.data.text.body, buttons: [], opaque };
  }
  const { template } = parsed.data;
  const known = find(template.name, template.language.code);
  if (!known) throw new MetaError(132001, `template name does not exist in ${template.language.code}`);
  return { to, type, template: template.name, ...shown(known, template), opaque };
};

const valueAt = (body: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], body);

const refusalOf = (body: unknown, issues: readonly z.core.$ZodIssue[]): MetaError => {
  const [issue] = issues;
  const path = issue?.path.join(".") ?? "";
  if (issue?.code === "unrecognized_keys") return new MetaError(100, `Unexpected key "${issue.keys[0]}" on ${path}`);
  if (issue?.code === "invalid_union" && path === "type") return new MetaError(131051, "type");
  if (issue && issue.path.length > 0 && valueAt(body, issue.path) === undefined) return new MetaError(131008, path);
  return new MetaError(100, path);
};

const shown = (known: ApprovedTemplate, { components = [] }: TemplateSent): Pick<TakenMessage, "text" | "buttons"> => {
  const bodies = components.filter(({ type }) => type === "body");
  if (bodies.length > 1) throw new MetaError(132012, "one body component");
  const values = bodies.flatMap((one) => (one.type === "body" ? one.parameters.map(({ text }) => text) : []));
  const expected = placesOf(known.body);
  if (values.length !== expected) {
    throw new MetaError(
      132000,
      `number of localizable_params (${values.length}) does not match the expected (${expected})`,
    );
  }
  for (const value of values) checkValue(value);
  const text = filled(known.body, values);
  if (text.length > MAX_TEMPLATE_TEXT) throw new MetaError(132005, "body");
  const given = components.filter((one) => one.type === "button");
  const unknown = given.find(({ index: at }) => known.buttons[Number(at)] === undefined);
  if (unknown) throw new MetaError(132012, `button at index ${unknown.index} does not exist`);
  const buttons = known.buttons.map((button, at): ShownButton => {
    const component = given.find(({ index: place }) => Number(place) === at);
    const [parameter] = component?.parameters ?? [];
    if (button.type === "QUICK_REPLY") {
      if (component && component.sub_type !== "quick_reply") throw new MetaError(132012, `button at index ${at}`);
      return { label: button.text, payload: parameter?.type === "payload" ? parameter.payload : button.text };
    }
    if (component && component.sub_type !== "url") throw new MetaError(132012, `button at index ${at}`);
    if (placesOf(button.url) > 0 && parameter?.type !== "text") {
      throw new MetaError(131008, `Button at index ${at} of type Url requires a parameter`);
    }
    if (parameter?.type === "text") checkValue(parameter.text);
    return { label: button.text, url: filled(button.url, parameter?.type === "text" ? [parameter.text] : []) };
  });
  return { text, buttons };
};

const checkValue = (value: string): void => {
  if (value.trim() === "") throw new MetaError(131008, "Parameter of type text is missing text value");
  if (/[\n\r\t]| {5,}/.test(value)) {
    throw new MetaError(132018, "Param text cannot have new-line/tab characters or more than 4 consecutive spaces");
  }
};
