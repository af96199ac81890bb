import { join } from "node:path";
import { commandApi } from "@rubrica/command-api";
import type { Config } from "@rubrica/config";
import { type Engines, ensureDataFolder, lockDataFolder, openEngines } from "@rubrica/engines";
import { createFileFetcher, createOutbound, type Outbound } from "@rubrica/fetching";
import { createHelperBudget } from "@rubrica/helpers";
import {
  countedBy,
  countLink,
  countStranger,
  createHttpServer,
  type HttpServer,
  health,
  openApi,
  shutDown,
} from "@rubrica/http";
import { createImages, type Images } from "@rubrica/images";
import type { JournalEvent } from "@rubrica/journal";
import { createEmbeddedMessageBus, type MessageBus } from "@rubrica/message-bus";
import { type MessagingSimulator, openMessagingSimulator, simulatorRoutes } from "@rubrica/messaging";
import { createPdfEngine, type PdfEngine } from "@rubrica/pdf";
import { createObligationPublisher, type ObligationPublisher } from "@rubrica/projector";
import { queryApi } from "@rubrica/query-api";
import {
  createProjectionRunner,
  EventSourcedAccountDirectory,
  type ProjectionRunner,
  projections,
} from "@rubrica/read-models";
import { createReports, type Reports } from "@rubrica/report";
import type { Runtime } from "@rubrica/runtime";
import { linkName, type PublicFileTokens, publicFileTokens, type SigningTokens, signingTokens } from "@rubrica/secrets";
import { signingWeb } from "@rubrica/signing-web";
import { allSubscribers, handleNotice, runSubscribers } from "@rubrica/subscribers";
import { createVerifier, pkiRoutes, verifyWeb } from "@rubrica/verify-web";
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import { apiDescription } from "./api-description.ts";
import { closeDemoAccount, openDemoAccount } from "./demo-account.ts";
import { type Docx, openDocx } from "./docx.ts";
import { type Identity, openIdentity } from "./identity.ts";
import { landingPage } from "./landing-page.ts";
import { listen } from "./listen.ts";
import { readinessChecks } from "./readiness.ts";
import { openSigning, type Signing } from "./signing.ts";
import { type OperatorKeys, type Welcome, welcomeOf } from "./welcome.ts";

/** For requests in flight; what is left of ten seconds is for the stores. */
const SHUTDOWN_GRACE_MS = 8_000;

/** Memory of all helper processes together, without what they share: with it the service stays under 900 MB. */
const HELPERS_MB = 520;

/** The whole service, running. */
export interface Service {
  welcome: Welcome;
  keys: OperatorKeys;
  /** Rejects when what goes on beside the requests ends by an error: the service then does half its work. */
  failed: Promise<never>;
  /** Stops taking requests, ends what is in flight, closes the stores. */
  close(): Promise<void>;
}

/** Where tests put their faults. */
export interface Faults {
  /** Awaited before each batch of events is projected. */
  beforeProjecting?: () => Promise<void>;
  /** In place of what this machine prepares DOCX with. */
  docx?: Docx;
}

/** What the parts of the service share, made once. */
interface Parts {
  engines: Engines;
  signing: Signing;
  /** For documents that accounts send. */
  uploads: PdfEngine;
  /** For documents that everybody signed: they never wait behind what is sent. */
  sealing: PdfEngine;
  /** For files that anybody sends to be checked. */
  checking: PdfEngine;
  /** For pictures that signers send. */
  images: Images;
  reports: Reports;
  /** Who validates signers' photos. */
  identity: Identity;
  docx: Docx;
  bus: MessageBus;
  runner: ProjectionRunner;
  publisher: ObligationPublisher;
  directory: EventSourcedAccountDirectory;
  simulator: MessagingSimulator;
  /** Reaches addresses that integrators gave. */
  outbound: Outbound;
  fileTokens: PublicFileTokens;
  publicUrl: string;
}

/**
 * Starts the whole service in this process on embedded engines, and resolves when it answers.
 * @throws {DataFolderError} when the data folder can't be used. @throws {StoreFileError} @throws {ConfigError} @throws {ListenError}
 */
export const startService = async (
  config: Config,
  runtime: Runtime,
  logger: FastifyBaseLogger,
  faults: Faults = {},
): Promise<Service> => {
  for (const sentence of ensureDataFolder(config.dataDir)) logger.warn(sentence);
  const lock = lockDataFolder(config.dataDir);
  const stopping = new AbortController();
  try {
    const parts = await openParts(config, runtime, logger, faults);
    const background = runInBackground(parts, config, runtime, stopping.signal);
    const failed = new Promise<never>((_resolve, reject) => background.catch(reject));
    // Whoever looks at it is told; while the service starts nobody does yet.
    failed.catch(() => {});
    const keys = await operatorKeys(parts.engines, config, runtime, logger);
    await parts.directory.refresh();
    const welcome = welcomeOf(parts.publicUrl, parts.docx.missing);
    const app = await createApp(parts, config, runtime, logger, welcome, keys.simulator);
    await listen(app, config);
    return {
      welcome,
      keys,
      failed,
      async close() {
        await shutDown(app, runtime, SHUTDOWN_GRACE_MS);
        stopping.abort();
        // Conversions in flight are broken off: they are taken up again at the next start.
        await Promise.all([background, parts.docx.close()]);
        await closeParts(parts);
        lock.close();
      },
    };
  } catch (error) {
    stopping.abort();
    lock.close();
    throw error;
  }
};

/** The keys that the operator is told; with them, whether there is a demo account. */
const operatorKeys = async (
  engines: Engines,
  { local, demoApiKey, simulatorKey }: Config,
  runtime: Runtime,
  logger: FastifyBaseLogger,
): Promise<OperatorKeys> => {
  const simulator = simulatorKey ?? engines.secrets.hmac("simulator-key", []).toString("base64url");
  if (local) return { simulator, demo: await openDemoAccount(engines, demoApiKey, runtime) };
  const blocked = await closeDemoAccount(engines, runtime);
  if (blocked > 0) logger.warn({ blocked }, "the data folder was a demo's: its printed keys are blocked");
  return { simulator, demo: null };
};

const openParts = async (
  config: Config,
  runtime: Runtime,
  logger: FastifyBaseLogger,
  { beforeProjecting, docx }: Faults,
): Promise<Parts> => {
  const { clock } = runtime;
  const publicUrl = config.publicUrl ?? `http://localhost:${config.port}`;
  const signing = await openSigning(config, publicUrl, runtime);
  const engines = await openEngines(config, runtime, (sentence) => logger.warn(sentence));
  const { journal, readModels, handlers, secrets, events } = engines;
  const budget = createHelperBudget({ clock, totalMb: HELPERS_MB });
  const engineFor = (name: string, processes: number) => createPdfEngine({ clock, budget, name, processes });
  const uploads = engineFor("uploads", 2);
  const images = createImages({ clock, budget });
  // The first document needn't wait for a process to start.
  uploads.warm();
  const bus = createEmbeddedMessageBus({
    clock,
    onError: ({ subject, messageId, error }) =>
      logger.warn({ err: error, subject, obligation: messageId }, "an obligation was not met; it is tried again"),
  });
  const runner = createProjectionRunner<JournalEvent>({
    projections,
    store: readModels,
    subscribe: (after, signal) => journal.subscribe({ after, signal }),
    clock,
    onError: (error) => logger.error({ err: error }, "projecting failed; it is tried again"),
    onChanged: (projection, changes) => publisher.changed(projection, changes),
    ...(beforeProjecting ? { beforeApply: beforeProjecting } : {}),
  });
  const publisher = createObligationPublisher({
    readModels,
    bus,
    runtime,
    caughtUp: runner.caughtUp,
    onError: (error) => logger.error({ err: error }, "publishing obligations failed; it is tried again"),
  });
  return {
    engines,
    signing,
    uploads,
    sealing: engineFor("sealing", 2),
    checking: engineFor("checks", 1),
    images,
    reports: createReports({
      journal,
      files: engines.files,
      images,
      identity: signing.identity,
      clock,
      publicUrl,
      budget,
    }),
    identity: openIdentity(config, secrets, images, runtime),
    docx: docx ?? (await openDocx(config, runtime, budget, logger)),
    bus,
    runner,
    publisher,
    directory: new EventSourcedAccountDirectory(journal),
    simulator: openMessagingSimulator({
      path: join(config.dataDir, "simulator.sqlite"),
      keys: secrets.subkeys("simulator"),
      runtime,
      onNotice: (notice) => handleNotice({ handlers, readModels, events, freshness: runner, runtime }, notice),
    }),
    outbound: createOutbound({ clock, allowPrivate: config.allowPrivateUrls }),
    fileTokens: publicFileTokens(secrets),
    publicUrl,
  };
};

const closeParts = async (parts: Parts): Promise<void> => {
  const { simulator, identity, bus, reports, uploads, sealing, checking, images, engines } = parts;
  await simulator.close();
  await identity.close();
  await bus.close();
  await reports.close();
  await Promise.all([uploads.close(), sealing.close(), checking.close(), images.close()]);
  await engines.close();
};

/** Projector, subscribers and account directory, until `signal` is aborted and what is in flight has ended. */
const runInBackground = async (
  {
    engines,
    signing,
    runner,
    publisher,
    directory,
    bus,
    simulator,
    sealing,
    reports,
    identity,
    docx,
    outbound,
    fileTokens,
    publicUrl,
  }: Parts,
  { tsaUrl }: Config,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<void> => {
  const { journal, handlers, files, keys, secrets } = engines;
  const meetObligations = async () => {
    const tokens = signingTokens(secrets);
    const stores = { journal, handlers, files, keys };
    const { templates, converter } = docx;
    const timestamps = tsaUrl === undefined ? undefined : { url: tsaUrl };
    const documents = { pdf: sealing, reports, templates, converter, identity: signing.identity, timestamps };
    const outside = {
      messaging: simulator,
      identityProvider: identity.provider,
      outbound,
      tokens,
      fileTokens,
      publicUrl,
    };
    const all = allSubscribers({ ...stores, ...documents, ...outside, runtime, signal });
    const kinds = all.map(({ kind }) => kind);
    await Promise.all([publisher.run(kinds, signal), runSubscribers(all, bus, signal)]);
  };
  await Promise.all([runner.run(signal), directory.follow(signal), meetObligations()]);
};

const createApp = async (
  {
    engines,
    signing,
    uploads,
    checking,
    images,
    reports,
    docx,
    runner,
    directory,
    simulator,
    outbound,
    fileTokens,
    publicUrl,
  }: Parts,
  config: Config,
  runtime: Runtime,
  logger: FastifyBaseLogger,
  welcome: Welcome,
  simulatorKey: string,
): Promise<HttpServer> => {
  const { handlers, files, keys, secrets, events, readModels } = engines;
  const { clock } = runtime;
  const app = createHttpServer({ runtime, logger, trustProxy: config.trustProxy, rates: config.rates });
  await app.register(openApi, { ...apiDescription, publicUrl });
  await app.register(health({ clock, checks: readinessChecks(engines, config.dataDir, clock) }));
  const { limits } = config;
  const common = { files, publicUrl };
  const tokens = signingTokens(secrets);
  const fetcher = createFileFetcher({ outbound });
  const writing = { handlers, keys, pdf: uploads, images, docx, fetcher, directory, secrets, tokens, runtime, limits };
  await app.register(commandApi({ ...common, ...writing }));
  const reading = { clock, events, readModels, freshness: runner, fileTokens, reports, accounts: directory };
  await app.register(queryApi({ ...common, ...reading }));
  await app.register(signingWeb({ count: countPages(tokens) }));
  const { roots, authority } = signing;
  const verifier = createVerifier({ pdf: checking, roots, events, readModels, freshness: runner });
  await app.register(verifyWeb({ clock, verifier, documentBytes: limits.documentBytes }));
  await app.register(pkiRoutes({ authority }));
  await app.register(async (scope) => {
    // Its page asks again with every change of any phone.
    countedBy(scope, "nobody");
    await scope.register(simulatorRoutes(simulator, { key: simulatorKey }));
  });
  await app.register(landingPage(welcome));
  return app;
};

/** Counts a good link's pages by the link, however many phones share an address. */
const countPages =
  (tokens: SigningTokens) =>
  (token: string, request: FastifyRequest, reply: FastifyReply): void => {
    const link = tokens.read(token);
    if (link) countLink(request, reply, linkName(link));
    else countStranger(request, reply);
  };
