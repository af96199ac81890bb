import { createHandlers, eraseDocument } from "@rubrica/commands";
import { createCampaign, type Document, grantCredits, openAccount } from "@rubrica/domain";
import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { derivedId, type Plan } from "@rubrica/events";
import {
  type AccountDirectory,
  createHttpServer,
  createLogger,
  type HttpServer,
  openApi,
  type RateLimits,
} from "@rubrica/http";
import { createImages } from "@rubrica/images";
import { type CommandContext, Journal, type JournalEvent } from "@rubrica/journal";
import { createOutbound, type FileFetcher } from "@rubrica/outbound";
import { createPdfEngine, type PdfEngine } from "@rubrica/pdf";
import { systemClock } from "@rubrica/runtime";
import { type ManualClock, testRuntime } from "@rubrica/runtime/testing";
import { apiKeySha256, createSecrets, signingTokens } from "@rubrica/secrets";
import { openMemoryFileStore } from "@rubrica/storage";
import { openEmbeddedKeyStore } from "@rubrica/storage/embedded";
import { commandApi } from "../src/command-api.ts";
import type { CommandApiDependencies } from "../src/dependencies.ts";

/** When everything happens, and the same in UNIX seconds. */
export const NOW = "2026-11-21T15:04:05.678Z";
export const NOW_SECONDS = 1_795_273_445;

export const accounts = {
  pro: derivedId("account", "pro"),
  basic: derivedId("account", "basic"),
  /** A key without an account: no such user. */
  ghost: derivedId("account", "ghost"),
} as const;
/** An account's name is its key, too. */
export type AccountName = keyof typeof accounts;

const directory: AccountDirectory = {
  find: async (sha256) => {
    if (sha256 === apiKeySha256("blocked")) return { accountId: accounts.pro, keyId: "blocked", blocked: true };
    const name = (Object.keys(accounts) as AccountName[]).find((key) => apiKeySha256(key) === sha256);
    return name && { accountId: accounts[name], keyId: derivedId("key", name), blocked: false };
  },
  refresh: async () => undefined,
  anyUnreadable: async () => false,
  sameTeam: async (a, b) => a === b,
  teammatesOf: async () => [],
};

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service answered; tests say what it must be
  body: any;
  headers: Record<string, unknown>;
}

/** The command API on engines in memory, on a clock that stands still. */
export interface World {
  app: HttpServer;
  clock: ManualClock;
  /** The log's lines so far. */
  log(): string;
  dependencies: CommandApiDependencies;
  /** Sends a JSON body. `key`: an account's name by default `pro`, null for none. */
  send(
    method: "POST" | "PUT" | "PATCH",
    url: string,
    body: unknown,
    options?: { key?: string | null; headers?: Record<string, string> },
  ): Promise<Answer>;
  get(url: string): Promise<Answer & { bytes: Buffer }>;
  eventsOf(stream: string): Promise<JournalEvent[]>;
  document(documentId: string): Promise<Document>;
  /** Erases the document. */
  erase(documentId: string): Promise<void>;
  /** Destroys the document's key, as erasure does, and what this process remembers of it. */
  forget(documentId: string): Promise<void>;
}

export interface WorldOptions {
  limits?: Partial<CommandApiDependencies["limits"]>;
  fetcher?: FileFetcher;
  /** Whether webhooks may go to private addresses; default: false. */
  allowPrivateUrls?: boolean;
  /** Reaches hosts as this machine does by default. */
  outbound?: CommandApiDependencies["outbound"];
  rates?: RateLimits;
  pdf?: PdfEngine;
  docx?: CommandApiDependencies["docx"];
  retentionDays?: number;
  whatsapp?: CommandApiDependencies["whatsapp"];
}

/** One for all tests: their processes take a while to start. They end with this one. */
const pdf = createPdfEngine({ clock: systemClock, processes: 1 });
const images = createImages({ clock: systemClock });

const noFetcher: FileFetcher = { fetch: () => Promise.reject(new Error("no test fetches by default")) };

const refused = () => Promise.reject(new Error("no test fills templates by default"));
const noDocx: CommandApiDependencies["docx"] = {
  templates: { inspect: refused, fill: refused, close: async () => undefined },
  converter: undefined,
};

const contextOf = (accountId: string, step: string): CommandContext => {
  const commandId = `${accountId}/${step}`;
  return { commandId, accountId, actor: "operator", correlationId: commandId, causationId: commandId };
};

const openAccounts = async ({ handlers }: CommandApiDependencies): Promise<void> => {
  for (const plan of ["pro", "basic"] satisfies Plan[]) {
    const accountId = accounts[plan];
    const open = { accountId, name: plan, plan };
    await handlers.accounts.handle(accountId, openAccount, open, contextOf(accountId, "open"));
    const grant = { grantId: accountId, amount: 10 };
    await handlers.accounts.handle(accountId, grantCredits, grant, contextOf(accountId, "credits"));
  }
  const campaign = {
    name: "Leases",
    messageText: "Please sign",
    requestPhotos: true,
    validatePhotos: false,
    retentionDays: 90,
    expiresInDays: null,
    refusalHours: null,
    silenceHours: null,
    reminders: null,
  };
  await handlers.accounts.handle(accounts.pro, createCampaign, campaign, contextOf(accounts.pro, "campaign"));
};

const eventsFrom = async (journal: Journal, stream: string): Promise<JournalEvent[]> => {
  const found: JournalEvent[] = [];
  for await (const event of journal.read(stream)) found.push(event);
  return found;
};

export const world = async (options: WorldOptions = {}): Promise<World> => {
  const runtime = testRuntime(7, Date.parse(NOW));
  const { clock, random } = runtime;
  const secrets = createSecrets({ current: random.bytes(32) });
  const keys = openEmbeddedKeyStore({ path: ":memory:", secrets, random, clock });
  const store = openEmbeddedEventStore({ path: ":memory:", clock, random });
  const journal = new Journal(store, keys, runtime);
  const lines: string[] = [];
  const logger = createLogger({ clock, stream: { write: (line) => void lines.push(line) } });
  const dependencies: CommandApiDependencies = {
    handlers: createHandlers(journal, runtime),
    files: openMemoryFileStore({ keys, random }),
    keys,
    noticesKey: "key-of-the-provider",
    sms: { key: "key-of-the-sms-adapter", idOf: (id) => `sms.${id}` },
    whatsapp: options.whatsapp,
    docx: options.docx ?? noDocx,
    pdf: options.pdf ?? pdf,
    images,
    fetcher: options.fetcher ?? noFetcher,
    outbound:
      options.outbound ?? createOutbound({ clock: systemClock, allowPrivate: options.allowPrivateUrls ?? false }),
    allowPrivateUrls: options.allowPrivateUrls ?? false,
    directory,
    secrets,
    tokens: signingTokens(secrets),
    runtime,
    retentionDays: options.retentionDays ?? null,
    limits: {
      documentBytes: 20_971_520,
      signers: 50,
      customParametersBytes: 65_536,
      photoBytes: 10_485_760,
      bulkRows: 1_000,
      ...options.limits,
    },
    publicUrl: "https://sign.example",
  };
  await openAccounts(dependencies);
  const app = createHttpServer({ runtime, logger, rates: options.rates ?? {} });
  await app.register(openApi, { title: "Rubrica", description: "d", version: "1" });
  await app.register(commandApi(dependencies));
  return {
    app,
    clock,
    log: () => lines.join(""),
    dependencies,
    async send(method, url, body, { key = "pro", headers = {} } = {}) {
      const answer = await app.inject({
        method,
        url,
        headers: { "content-type": "application/json", ...(key === null ? {} : { "x-api-key": key }), ...headers },
        payload: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      });
      return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
    },
    async get(url) {
      const { statusCode, headers, rawPayload: bytes } = await app.inject({ url });
      const isJson = String(headers["content-type"]).startsWith("application/json");
      return { status: statusCode, body: isJson ? JSON.parse(bytes.toString()) : undefined, bytes, headers };
    },
    eventsOf: (stream) => eventsFrom(journal, stream),
    async erase(documentId) {
      const stores = { ...dependencies, customIdHmac: () => "ab".repeat(32) };
      await eraseDocument(stores, documentId, "requested", contextOf(accounts.pro, `erase-${documentId}`));
    },
    async forget(documentId) {
      await keys.destroy(documentId);
      dependencies.handlers = createHandlers(journal, runtime);
    },
    document: (documentId) => dependencies.handlers.documents.load(documentId),
  };
};
