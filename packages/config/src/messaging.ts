import { z } from "zod";
import { ConfigError } from "./error.ts";

/** What signers may be reached by here. */
const engines = ["simulator", "whatsapp", "sms", "email"] as const;
export type MessagingEngine = (typeof engines)[number];

const printable = z.string().regex(/^[\x21-\x7e]+$/, "it must be printable ASCII without spaces");

const isEngine = (name: string): name is MessagingEngine => (engines as readonly string[]).includes(name);

/** One engine, or several in the order in which they are tried. */
const chain = z.string().transform((text, context): [MessagingEngine, ...MessagingEngine[]] => {
  const [first, ...others] = text.split(",").map((name) => name.trim());
  const named = [first, ...others].filter((name) => name !== undefined).filter(isEngine);
  const phones = named.filter((name) => name === "simulator" || name === "whatsapp");
  if (first === undefined || !isEngine(first) || named.length !== others.length + 1) {
    context.addIssue({
      code: "custom",
      message: "it must be simulator, whatsapp, sms or email, or several of them in a list: whatsapp,sms,email",
    });
    return z.NEVER;
  }
  if (new Set(named).size !== named.length || phones.length > 1) {
    context.addIssue({ code: "custom", message: "it must name each one once, and simulator or whatsapp, not both" });
    return z.NEVER;
  }
  return [first, ...named.slice(1)];
});

const Address = z.email().max(254);
const NAMED_ADDRESS = /^([^<>"\p{Cc}]{1,100}) <([^<>]+)>$/u;

/** Whom messages are from. */
export interface Mailbox {
  /** Null: the address is shown. */
  name: string | null;
  address: string;
}

const mailbox = z.string().transform((text, context): Mailbox => {
  const [, name = null, address = text] = NAMED_ADDRESS.exec(text) ?? [];
  if (Address.safeParse(address).success) return { name, address };
  context.addIssue({ code: "custom", message: "it must be an address, or Name <address>" });
  return z.NEVER;
});

/** A mail server. */
export interface SmtpConfig {
  host: string;
  port: number;
  /** `none`: clear text, to this machine alone. */
  tls: "implicit" | "starttls" | "none";
  user: { name: string; password: string } | undefined;
}

const SMTP_PORTS = { "smtps:": 465, "smtp:": 587 } as const;

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

const isOwnMachine = (host: string): boolean => host === "localhost" || host === "::1" || /^127\.[\d.]+$/.test(host);

const smtpFrom = (text: string): SmtpConfig | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const { protocol } = url ?? {};
  if (!url || (protocol !== "smtp:" && protocol !== "smtps:")) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const [name, password] = [decoded(url.username), decoded(url.password)];
  if (host === "" || name === undefined || password === undefined || !["", "/"].includes(url.pathname))
    return undefined;
  if ((name === "") !== (password === "") || url.search || url.hash) return undefined;
  const clear = isOwnMachine(host) ? "none" : "starttls";
  return {
    host,
    port: url.port === "" ? SMTP_PORTS[protocol] : Number(url.port),
    tls: protocol === "smtps:" ? "implicit" : clear,
    user: name === "" ? undefined : { name, password },
  };
};

/** It may hold a password: what is wrong with it is said without it. */
const smtpUrl = z.string().transform((text, context): SmtpConfig => {
  const server = smtpFrom(text);
  if (server) return server;
  context.addIssue({ code: "custom", message: "it must be smtps://user:password@host:465, or smtp:// with STARTTLS" });
  return z.NEVER;
});

/** The variables that say how signers are reached, WhatsApp's own apart. */
export const messagingVariables = {
  MESSAGING: chain.optional(),
  SMS_PROVIDER_URL: z
    .url({ protocol: /^https?$/, error: "it must be an http or https URL" })
    .transform((url) => url.replace(/\/+$/, ""))
    .optional(),
  SMS_PROVIDER_KEY: printable.min(16, "it must have at least 16 characters").max(1_000).optional(),
  SMTP_URL: smtpUrl.optional(),
  EMAIL_FROM: mailbox.optional(),
  SIGNED_COPIES: z
    .enum(["true", "false", "1", "0"], "it must be true or false")
    .default("true")
    .transform((value) => value === "true" || value === "1"),
};

/** The adapter to whoever sends text messages. */
export interface SmsConfig {
  url: string;
  /** Shown in both directions. */
  key: string;
}

/** How e-mail is sent. */
export interface EmailConfig {
  server: SmtpConfig;
  from: Mailbox;
}

type Values = z.output<z.ZodObject<typeof messagingVariables>>;

const missing = (name: string, engine: MessagingEngine): ConfigError =>
  new ConfigError(`The variable ${name} is missing: MESSAGING names ${engine}.`);

/** What apps that have to do with text messages are given. @throws {ConfigError} when one of two variables is missing. */
export const smsFrom = ({ MESSAGING, SMS_PROVIDER_URL: url, SMS_PROVIDER_KEY: key }: Values): SmsConfig | undefined => {
  if (!MESSAGING?.includes("sms") || (url === undefined && key === undefined)) return undefined;
  if (url === undefined) throw missing("SMS_PROVIDER_URL", "sms");
  if (key === undefined) throw missing("SMS_PROVIDER_KEY", "sms");
  return { url, key };
};

/** What apps that send e-mail are given. @throws {ConfigError} when one of two variables is missing. */
export const emailFrom = ({ MESSAGING, SMTP_URL: server, EMAIL_FROM: from }: Values): EmailConfig | undefined => {
  if (!MESSAGING?.includes("email") || (server === undefined && from === undefined)) return undefined;
  if (server === undefined) throw missing("SMTP_URL", "email");
  if (from === undefined) throw missing("EMAIL_FROM", "email");
  return { server, from };
};

interface Messaging {
  messaging: readonly MessagingEngine[];
  sms: SmsConfig | undefined;
  email: EmailConfig | undefined;
}

/** The adapter for text messages; undefined when signers are not reached by them. @throws {ConfigError} */
export const requireSms = ({ messaging, sms }: Messaging): SmsConfig | undefined => {
  if (messaging.includes("sms") && !sms) throw missing("SMS_PROVIDER_URL", "sms");
  return sms;
};

/** How e-mail is sent; undefined when signers are not reached by it. @throws {ConfigError} */
export const requireEmail = ({ messaging, email }: Messaging): EmailConfig | undefined => {
  if (messaging.includes("email") && !email) throw missing("SMTP_URL", "email");
  return email;
};
