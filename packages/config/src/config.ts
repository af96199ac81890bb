import { isIP } from "node:net";
import { resolve } from "node:path";
import { z } from "zod";
import { ConfigError } from "./error.ts";
import {
  type EmailConfig,
  emailFrom,
  type MessagingEngine,
  messagingVariables,
  type SmsConfig,
  smsFrom,
} from "./messaging.ts";
import { type WhatsAppConfig, whatsAppFrom, whatsAppVariables } from "./whatsapp.ts";

const MEGABYTE = 1_048_576;
const KILOBYTE = 1_024;

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

const Environment = z.object({
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

/**
 * Whose word is taken for a client's address: of so many proxies in front, each of which adds the address that it sees to
 * `X-Forwarded-For`, or of the proxies at these addresses and networks. False: of none.
 */
export type TrustedProxies = false | number | readonly string[];

/** What the service is told by its environment, checked once, at start. */
export interface Config {
  host: string;
  port: number;
  /** Where metrics are served, apart from all else. Undefined: they are not. */
  metrics: { host: string; port: number } | undefined;
  /** Where the outside reaches the service, without a trailing slash. Undefined: where it listens. */
  publicUrl: string | undefined;
  /** Absolute. */
  dataDir: string;
  /** An EventStoreDB, which keeps the events. Undefined: they are kept in the data folder. */
  eventStoreUrl: string | undefined;
  /** A MongoDB, which keeps read models, keys and files. Undefined: they are kept in the data folder. */
  mongodbUrl: string | undefined;
  /** A NATS server with JetStream, which brings obligations to subscribers. Undefined: that stays within the process. */
  natsUrl: string | undefined;
  /** On how many servers of NATS a message is kept. Undefined: on three, or on one where there are fewer. */
  natsReplicas: number | undefined;
  /** Undefined: made and kept in the data folder. */
  secret: Buffer | undefined;
  /** Newest first. */
  formerSecrets: readonly Buffer[];
  /**
   * Whether this is a service for whoever sits at its machine: PUBLIC_URL is unset or loopback. It is what the
   * configuration says: behind a proxy without headers of its own, every request looks local.
   */
  local: boolean;
  /** Sets the demo account's key, where there is that account: on a local service. */
  demoApiKey: string | undefined;
  /** What the messaging simulator asks for. Undefined: made of SECRET. */
  simulatorKey: string | undefined;
  /** Where the simulators are. Undefined: in this process. */
  simulatorUrl: string | undefined;
  /** Where simulators in a process of their own find the service. */
  serviceUrl: string;
  /** By what signers are reached, in the order in which it is tried. */
  messaging: readonly [MessagingEngine, ...MessagingEngine[]];
  /** Undefined where signers are not reached by it, or this process has nothing to do with it. */
  whatsapp: WhatsAppConfig | undefined;
  /** Undefined as with `whatsapp`. */
  sms: SmsConfig | undefined;
  /** Undefined as with `whatsapp`. */
  email: EmailConfig | undefined;
  /** Whether signers who were reached by message are told where their signed copy is. */
  signedCopies: boolean;
  trustProxy: TrustedProxies;
  /** Whether URLs that integrators give may lead to private addresses. */
  allowPrivateUrls: boolean;
  /** Requests in a minute. Undefined: as many as one likes. */
  rates: {
    perKey: number | undefined;
    perLink: number | undefined;
    /** Of callers with neither a good key nor a good link. */
    perAddress: number | undefined;
  };
  logLevel: string;
  /** RFC 3161 timestamp servers, the most wanted first. None: seals carry no timestamp (B-B). */
  tsaUrls: readonly string[];
  /** Whether what seals lack is made up later, and their timestamps are renewed before they can't be validated any more. */
  renewTimestamps: boolean;
  /** What documents are sealed with. Undefined: a certificate of the service's own authority. */
  signingCertificate: SigningCertificate | undefined;
  /** A file of PEM certificates that sealed before today's: what they sealed is this service's. */
  formerCertificates: string | undefined;
  /** A file of PEM certificates of authorities whose timestamps are trusted when files are verified. Undefined: none. */
  timestampRoots: string | undefined;
  /** Who validates photos, by a name for the legal report. Undefined: a simulation. */
  identityProvider: { url: string; key: string; name: string } | undefined;
  /** Days after their end at which documents are erased whose campaign does not say. Null: they are kept. */
  retentionDays: number | null;
  limits: Limits;
  /** LibreOffice's program. Undefined: the search path is searched. */
  soffice: string | undefined;
  /** The program that starts helpers under another user; absolute. Undefined: they run as the service does. */
  helpersLauncher: string | undefined;
  /** Office programs at once. Undefined: as many as suit the engine. */
  docxProcesses: number | undefined;
}

/** A certificate from elsewhere, with its private key. */
export interface SigningCertificate {
  /** A PKCS #12 file; absolute. */
  p12Path: string;
  passphrase: string;
}

export interface Limits {
  /** Decoded. */
  documentBytes: number;
  signers: number;
  photoBytes: number;
  customParametersBytes: number;
  /** Signers of one bulk call. */
  bulkRows: number;
}

/**
 * Reads the configuration from environment variables.
 * @throws {ConfigError} naming the first variable that is wrong.
 */
export const configFrom = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigError(`The variable ${String(issue?.path[0])} can't be used: ${issue?.message}.`);
  }
  const value = parsed.data;
  const { IDENTITY_PROVIDER_URL: identityUrl, IDENTITY_PROVIDER_KEY: identityKey } = value;
  if (identityUrl !== undefined && identityKey === undefined) {
    throw new ConfigError("The variable IDENTITY_PROVIDER_KEY is missing: IDENTITY_PROVIDER_URL is set.");
  }
  if (value.RENEW_TIMESTAMPS && value.TSA_URL.length === 0) {
    throw new ConfigError("The variable TSA_URL is missing: RENEW_TIMESTAMPS is set.");
  }
  const local = value.PUBLIC_URL === undefined || isLoopback(value.PUBLIC_URL);
  if (!local) refuseDemo(value);
  return {
    host: value.HOST,
    port: value.PORT,
    metrics: value.METRICS_PORT === undefined ? undefined : { host: value.METRICS_HOST, port: value.METRICS_PORT },
    publicUrl: value.PUBLIC_URL,
    dataDir: resolve(value.DATA_DIR),
    eventStoreUrl: value.EVENTSTORE_URL,
    mongodbUrl: value.MONGODB_URL,
    natsUrl: value.NATS_URL,
    natsReplicas: value.NATS_REPLICAS,
    secret: value.SECRET === undefined ? undefined : Buffer.from(value.SECRET),
    formerSecrets: value.FORMER_SECRETS.map((text) => Buffer.from(text)),
    local,
    demoApiKey: value.DEMO_API_KEY,
    simulatorKey: value.SIMULATOR_KEY,
    simulatorUrl: value.SIMULATOR_URL,
    serviceUrl: value.SERVICE_URL,
    messaging: value.MESSAGING ?? ["simulator"],
    whatsapp: value.MESSAGING?.includes("whatsapp") ? whatsAppFrom(value) : undefined,
    sms: smsFrom(value),
    email: emailFrom(value),
    signedCopies: value.SIGNED_COPIES,
    trustProxy: value.TRUST_PROXY,
    allowPrivateUrls: value.ALLOW_PRIVATE_URLS,
    rates: {
      perKey: value.RATE_LIMIT_PER_MINUTE,
      perLink: value.RATE_LIMIT_PER_LINK,
      perAddress: value.RATE_LIMIT_PER_ADDRESS,
    },
    logLevel: value.LOG_LEVEL,
    tsaUrls: value.TSA_URL,
    renewTimestamps: value.RENEW_TIMESTAMPS,
    signingCertificate:
      value.SIGNING_CERTIFICATE_P12 === undefined
        ? undefined
        : { p12Path: resolve(value.SIGNING_CERTIFICATE_P12), passphrase: value.SIGNING_CERTIFICATE_PASSPHRASE },
    formerCertificates: value.FORMER_CERTIFICATES === undefined ? undefined : resolve(value.FORMER_CERTIFICATES),
    timestampRoots: value.TSA_ROOTS === undefined ? undefined : resolve(value.TSA_ROOTS),
    identityProvider:
      identityUrl === undefined || identityKey === undefined
        ? undefined
        : { url: identityUrl, key: identityKey, name: value.IDENTITY_PROVIDER_NAME ?? new URL(identityUrl).host },
    retentionDays: value.RETENTION_DAYS ?? null,
    limits: {
      documentBytes: value.MAX_DOCUMENT_MB * MEGABYTE,
      signers: value.MAX_SIGNERS,
      photoBytes: value.MAX_PHOTO_MB * MEGABYTE,
      customParametersBytes: value.MAX_CUSTOM_PARAMETERS_KB * KILOBYTE,
      bulkRows: value.MAX_BULK_ROWS,
    },
    soffice: value.SOFFICE,
    helpersLauncher: value.HELPERS_LAUNCHER === undefined ? undefined : resolve(value.HELPERS_LAUNCHER),
    docxProcesses: value.DOCX_PROCESSES,
  };
};

const isLoopback = (url: string): boolean => {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return (
    host === "localhost" ||
    host.endsWith(".localhost") ||
    host === "::1" ||
    (isIP(host) === 4 && host.startsWith("127."))
  );
};

/** What is for a developer's machine is not there by itself where others reach the service. */
const refuseDemo = ({ PUBLIC_URL, MESSAGING, DEMO_API_KEY }: z.output<typeof Environment>): void => {
  if (MESSAGING === undefined) {
    throw new ConfigError(
      `The variable MESSAGING is missing: at ${PUBLIC_URL} signers are not reached by the simulator unless MESSAGING=simulator says so.`,
    );
  }
  if (DEMO_API_KEY !== undefined) {
    throw new ConfigError(
      `The variable DEMO_API_KEY can't be used: at ${PUBLIC_URL} there is no demo account; make accounts with \`npm run rubrica -- account create\`.`,
    );
  }
};
