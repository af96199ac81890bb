import { z } from "zod";
import { ConfigError } from "./error.ts";

const printable = z.string().regex(/^[\x21-\x7e]+$/, "it must be printable ASCII without spaces");
const long = printable.min(16, "it must have at least 16 characters").max(1_000);
const graphId = z.string().regex(/^\d{1,32}$/, "it must be a number");
const language = z.string().regex(/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/, "it must be one of Meta's codes, as es or es_AR");
/** `name`, or `name:language`. */
const template = (name: string) =>
  z
    .string()
    .regex(
      /^[a-z0-9_]{1,512}(:[a-z]{2,3}(_[A-Za-z]{2,4})?)?$/,
      "it must be a template's name, which may be followed by its language: rubrica_request:es_AR",
    )
    .default(name);

/** The variables of WhatsApp. */
export const whatsAppVariables = {
  WHATSAPP_TOKEN: long.optional(),
  WHATSAPP_PHONE_NUMBER_ID: graphId.optional(),
  WHATSAPP_BUSINESS_ACCOUNT_ID: graphId.optional(),
  WHATSAPP_APP_SECRET: long.optional(),
  WHATSAPP_FORMER_APP_SECRET: long.optional(),
  WHATSAPP_VERIFY_TOKEN: long.optional(),
  WHATSAPP_BASE_URL: z
    .url({ protocol: /^https?$/, error: "it must be an http or https URL" })
    .default("https://graph.facebook.com")
    .transform((url) => url.replace(/\/+$/, "")),
  WHATSAPP_GRAPH_VERSION: z
    .string()
    .regex(/^v\d{1,3}\.\d{1,2}$/, "it must be a version of the Graph API, as v26.0")
    .default("v26.0"),
  WHATSAPP_LANGUAGE: language.default("es"),
  WHATSAPP_TEMPLATE_REQUEST: template("rubrica_request"),
  WHATSAPP_TEMPLATE_REQUEST_NOTE: template("rubrica_request_note"),
  WHATSAPP_TEMPLATE_REQUEST_UNTIL: template("rubrica_request_until"),
  WHATSAPP_TEMPLATE_REQUEST_NOTE_UNTIL: template("rubrica_request_note_until"),
  WHATSAPP_TEMPLATE_LINK: template("rubrica_link"),
  WHATSAPP_TEMPLATE_LINK_UNTIL: template("rubrica_link_until"),
  WHATSAPP_TEMPLATE_COPY: template("rubrica_copy"),
  WHATSAPP_TEMPLATE_CANCELED: template("rubrica_canceled"),
  WHATSAPP_TEMPLATE_REMINDER: template("rubrica_reminder"),
  WHATSAPP_TEMPLATE_REMINDER_UNTIL: template("rubrica_reminder_until"),
  WHATSAPP_TEMPLATE_REMINDER_LINK: template("rubrica_reminder_link"),
  WHATSAPP_TEMPLATE_REMINDER_LINK_UNTIL: template("rubrica_reminder_link_until"),
};

/** A template as it was submitted to Meta. */
export interface TemplateSetting {
  name: string;
  /** Meta's code: `es`, `es_AR`. */
  language: string;
}

/** What reaching signers by WhatsApp needs. */
export interface WhatsAppConfig {
  /** Where the Graph API is, without a trailing slash. */
  baseUrl: string;
  /** `v26.0`. */
  graphVersion: string;
  token: string;
  phoneNumberId: string;
  /** Undefined: templates are not submitted from here. */
  businessAccountId: string | undefined;
  /** What Meta signs with: the app's secret, then the former one. */
  appSecrets: readonly string[];
  /** What Meta shows when it is told the service's address. */
  verifyToken: string;
  templates: Record<
    | "request"
    | "requestNote"
    | "requestUntil"
    | "requestNoteUntil"
    | "link"
    | "linkUntil"
    | "copy"
    | "canceled"
    | "reminder"
    | "reminderUntil"
    | "reminderLink"
    | "reminderLinkUntil",
    TemplateSetting
  >;
}

type Values = z.output<z.ZodObject<typeof whatsAppVariables>>;

const NEEDED = ["WHATSAPP_TOKEN", "WHATSAPP_PHONE_NUMBER_ID", "WHATSAPP_APP_SECRET", "WHATSAPP_VERIFY_TOKEN"] as const;

const missing = (name: string): ConfigError =>
  new ConfigError(`The variable ${name} is missing: MESSAGING names whatsapp.`);

/**
 * What apps that have to do with WhatsApp are given; undefined for one of the others, which are told nothing of it.
 * @throws {ConfigError} naming the first variable that is missing beside others.
 */
export const whatsAppFrom = (values: Values): WhatsAppConfig | undefined => {
  if (NEEDED.every((name) => values[name] === undefined)) return undefined;
  const needed = (name: (typeof NEEDED)[number]): string => {
    const value = values[name];
    if (value === undefined) throw missing(name);
    return value;
  };
  const templateOf = (text: string): TemplateSetting => {
    const [name = "", language = values.WHATSAPP_LANGUAGE] = text.split(":");
    return { name, language };
  };
  const former = values.WHATSAPP_FORMER_APP_SECRET;
  return {
    baseUrl: values.WHATSAPP_BASE_URL,
    graphVersion: values.WHATSAPP_GRAPH_VERSION,
    token: needed("WHATSAPP_TOKEN"),
    phoneNumberId: needed("WHATSAPP_PHONE_NUMBER_ID"),
    businessAccountId: values.WHATSAPP_BUSINESS_ACCOUNT_ID,
    appSecrets: [needed("WHATSAPP_APP_SECRET"), ...(former === undefined ? [] : [former])],
    verifyToken: needed("WHATSAPP_VERIFY_TOKEN"),
    templates: {
      request: templateOf(values.WHATSAPP_TEMPLATE_REQUEST),
      requestNote: templateOf(values.WHATSAPP_TEMPLATE_REQUEST_NOTE),
      requestUntil: templateOf(values.WHATSAPP_TEMPLATE_REQUEST_UNTIL),
      requestNoteUntil: templateOf(values.WHATSAPP_TEMPLATE_REQUEST_NOTE_UNTIL),
      link: templateOf(values.WHATSAPP_TEMPLATE_LINK),
      linkUntil: templateOf(values.WHATSAPP_TEMPLATE_LINK_UNTIL),
      copy: templateOf(values.WHATSAPP_TEMPLATE_COPY),
      canceled: templateOf(values.WHATSAPP_TEMPLATE_CANCELED),
      reminder: templateOf(values.WHATSAPP_TEMPLATE_REMINDER),
      reminderUntil: templateOf(values.WHATSAPP_TEMPLATE_REMINDER_UNTIL),
      reminderLink: templateOf(values.WHATSAPP_TEMPLATE_REMINDER_LINK),
      reminderLinkUntil: templateOf(values.WHATSAPP_TEMPLATE_REMINDER_LINK_UNTIL),
    },
  };
};

/**
 * How signers are reached by WhatsApp; undefined when they are reached otherwise.
 * @throws {ConfigError} when MESSAGING says so, and nothing else does.
 */
export const requireWhatsApp = ({
  messaging,
  whatsapp,
}: {
  messaging: readonly string[];
  whatsapp: WhatsAppConfig | undefined;
}): WhatsAppConfig | undefined => {
  if (messaging.includes("whatsapp") && !whatsapp) throw missing(NEEDED[0]);
  return whatsapp;
};
