import { isIP } from "node:net";
import { z } from "zod";
import { messagingVariables } from "./messaging.ts";
import { whatsAppVariables } from "./whatsapp.ts";

/**
 * Whose word is taken for a client's address: of so many proxies in front, each of which adds the address that it sees to
 * `X-Forwarded-For`, or of the proxies at these addresses and networks. False: of none.
 */
export type TrustedProxies = false | number | readonly string[];

const count = (fallback: number, max: number) => z.coerce.number().int().min(1).max(max).default(fallback);
const flag = z
  .enum(["true", "false", "1", "0"], "it must be true or false")
  .default("false")
  .transform((value) => value === "true" || value === "1");
const MAX_PER_MINUTE = 1_000_000;
const perMinute = (fallback: number) =>
  z
    .string()
    .default(String(fallback))
    .refine((text) => text === "off" || (/^\d+$/.test(text) && Number(text) <= MAX_PER_MINUTE), {
      error: `it must be a number up to ${MAX_PER_MINUTE}, or off`,
    })
    .transform((text) => (text === "off" || Number(text) === 0 ? undefined : Number(text)));
const webAddress = z.url({ protocol: /^https?$/, error: "it must be an http or https URL" });
const MAX_AUTHORITIES = 10;
/** Addresses, the most wanted first. */
const webAddresses = z
  .string()
  .default("")
  .transform((list) => list.split(",").map((item) => item.trim()))
  .transform((items) => items.filter((item) => item !== ""))
  .pipe(z.array(webAddress).max(MAX_AUTHORITIES, `it must be ${MAX_AUTHORITIES} addresses at most`));
const webUrl = webAddress.transform((url) => url.replace(/\/+$/, ""));
/** An address of an engine. It may hold a password: what is wrong with it is said without it. */
const engineUrl = (schemes: RegExp, names: string) =>
  z
    .string()
    .regex(new RegExp(`^(?:${schemes.source})://[^\\s/]`), `it must be a URL that begins with ${names}`)
    .optional();
const secret = z.string().refine((value) => Buffer.byteLength(value) >= 32, "it must have at least 32 bytes");

/** A key that whoever runs the service chose; it goes into headers and addresses as it is. */
const chosenKey = z
  .string()
  .min(16, "it must have at least 16 characters")
  .max(200)
  .regex(/^[\x21-\x7e]*$/, "it must be printable ASCII without spaces");

/** A hundred years. */
export const MAX_RETENTION_DAYS = 36_500;

const MAX_PROXIES = 16;
/** JetStream's own limit. */
const MAX_NATS_REPLICAS = 5;
const NO_PROXY = ["false", "0"];

/** An IP address, or a network of them in CIDR notation. */
const isNetwork = (text: string): boolean => {
  const [address = "", bits, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || address.includes("%") || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
};

const proxies = z
  .string()
  .default("false")
  .transform((text, context): TrustedProxies => {
    if (NO_PROXY.includes(text)) return false;
    if (/^\d{1,2}$/.test(text) && Number(text) <= MAX_PROXIES) return Number(text);
    const networks = text.split(",").map((item) => item.trim());
    if (networks.every(isNetwork)) return networks;
    const message = "it must be the count of proxies in front of the service (usually 1), or a list of their addresses";
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });

/** The variables, each checked by itself. */
export const Environment = z.object({
  HOST: z.string().min(1).default("127.0.0.1"),
  PORT: z.coerce.number("it must be a port number").int().min(1).max(65_535).default(3000),
  METRICS_HOST: z.string().min(1).default("127.0.0.1"),
  METRICS_PORT: z.coerce.number("it must be a port number").int().min(1).max(65_535).optional(),
  PUBLIC_URL: webUrl.optional(),
  DATA_DIR: z.string().min(1).default("./data"),
  EVENTSTORE_URL: engineUrl(/esdb(?:\+discover)?/, "esdb:// or esdb+discover://"),
  MONGODB_URL: engineUrl(/mongodb(?:\+srv)?/, "mongodb:// or mongodb+srv://"),
  NATS_URL: engineUrl(/nats|tls/, "nats:// or tls://"),
  NATS_REPLICAS: z.coerce.number("it must be a number of servers").int().min(1).max(MAX_NATS_REPLICAS).optional(),
  SECRET: secret.optional(),
  FORMER_SECRETS: z
    .string()
    .default("")
    .transform((list) => list.split(",").filter((item) => item !== ""))
    .pipe(z.array(secret)),
  DEMO_API_KEY: chosenKey.optional(),
  SIMULATOR_KEY: chosenKey.optional(),
  TRUST_PROXY: proxies,
  ALLOW_PRIVATE_URLS: flag,
  RATE_LIMIT_PER_MINUTE: perMinute(600),
  RATE_LIMIT_PER_LINK: perMinute(120),
  RATE_LIMIT_PER_ADDRESS: perMinute(120),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  TSA_URL: webAddresses,
  RENEW_TIMESTAMPS: flag,
  SIGNING_CERTIFICATE_P12: z.string().optional(),
  SIGNING_CERTIFICATE_PASSPHRASE: z.string().default(""),
  FORMER_CERTIFICATES: z.string().optional(),
  TSA_ROOTS: z.string().optional(),
  IDENTITY_PROVIDER_URL: webUrl.optional(),
  IDENTITY_PROVIDER_KEY: z.string().min(1).optional(),
  IDENTITY_PROVIDER_NAME: z.string().min(1).max(100, "it must have at most 100 characters").optional(),
  SIMULATOR_URL: webUrl.optional(),
  SERVICE_URL: webUrl.default("http://127.0.0.1:3000"),
  ...messagingVariables,
  ...whatsAppVariables,
  RETENTION_DAYS: z.coerce.number("it must be a number of days").int().min(1).max(MAX_RETENTION_DAYS).optional(),
  MAX_DOCUMENT_MB: count(20, 200),
  MAX_SIGNERS: count(50, 1_000),
  MAX_PHOTO_MB: count(10, 100),
  MAX_CUSTOM_PARAMETERS_KB: count(64, 512),
  MAX_BULK_ROWS: count(1_000, 10_000),
  SOFFICE: z.string().optional(),
  HELPERS_LAUNCHER: z.string().optional(),
  DOCX_PROCESSES: z.coerce.number("it must be a number").int().min(1).max(32).optional(),
});

/** A variable that is read. */
export type VariableName = keyof z.input<typeof Environment>;

/** The names of all variables that are read. */
export const variableNames = Object.keys(Environment.shape) as readonly VariableName[];

/** What a variable that is not set stands for; undefined: nothing. */
export const defaultOf = (name: VariableName): unknown => Environment.shape[name].safeParse(undefined).data;
