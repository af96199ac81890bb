import { isIP } from "node:net";
import { resolve } from "node:path";
import type { z } from "zod";
import { Environment, type TrustedProxies } from "./environment.ts";
import { ConfigError } from "./error.ts";
import { type EmailConfig, emailFrom, type MessagingEngine, type SmsConfig, smsFrom } from "./messaging.ts";
import { type WhatsAppConfig, whatsAppFrom } from "./whatsapp.ts";

const MEGABYTE = 1_048_576;
const KILOBYTE = 1_024;

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
  /** Days after which ended documents are erased, unless their campaign says otherwise. Null: they are kept. */
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

/** The variables, each read and checked, alone and beside the others. @throws {ConfigError} naming the first that is wrong. */
const checked = (environment: Readonly<Record<string, string | undefined>>): z.output<typeof Environment> => {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigError(`The variable ${String(issue?.path[0])} can't be used: ${issue?.message}.`);
  }
  const value = parsed.data;
  if (value.IDENTITY_PROVIDER_URL !== undefined && value.IDENTITY_PROVIDER_KEY === undefined) {
    throw new ConfigError("The variable IDENTITY_PROVIDER_KEY is missing: IDENTITY_PROVIDER_URL is set.");
  }
  if (value.RENEW_TIMESTAMPS && value.TSA_URL.length === 0) {
    throw new ConfigError("The variable TSA_URL is missing: RENEW_TIMESTAMPS is set.");
  }
  if (!isLocal(value)) refuseDemo(value);
  return value;
};

/**
 * Reads the configuration from environment variables.
 * @throws {ConfigError} naming the first variable that is wrong.
 */
export const configFrom = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const value = checked(environment);
  const { IDENTITY_PROVIDER_URL: identityUrl, IDENTITY_PROVIDER_KEY: identityKey } = value;
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
    local: isLocal(value),
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

const isLocal = ({ PUBLIC_URL: url }: z.output<typeof Environment>): boolean => url === undefined || isLoopback(url);

const isLoopback = (url: string): boolean => {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return (
    host === "localhost" ||
    host.endsWith(".localhost") ||
    host === "::1" ||
    (isIP(host) === 4 && host.startsWith("127."))
  );
};

/** Refuses the demo's defaults at a public address: simulator and demo account are there only where they are asked for. */
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
