import { createHandlers, type Handlers } from "@rubrica/commands";
import type { Config } from "@rubrica/config";
import type { EventStore } from "@rubrica/event-store";
import { Journal } from "@rubrica/journal";
import type { MessageBus } from "@rubrica/message-bus";
import {
  type CheckpointFreshness,
  type CustomIdHmac,
  createFreshness,
  type ReadModelStore,
} from "@rubrica/read-models";
import type { Runtime } from "@rubrica/runtime";
import { createSecrets, customIdHmac, loadOrCreateSecret, type Secrets } from "@rubrica/secrets";
import type { FileStore, KeyStore, LeaseStore } from "@rubrica/storage";
import { ensureDataFolder } from "./data-folder.ts";
import { type Database, openDatabase } from "./database.ts";
import { type Erasures, openErasures } from "./erasures.ts";
import { openEventStore } from "./event-store.ts";
import { openMessageBus, requireNatsUrl } from "./message-bus.ts";
import type { EngineListeners, Surroundings } from "./surroundings.ts";
import { EVENTSTOREDB, MONGODB, NATS, reaching, reachingBoth, type WireEngine } from "./unreachable.ts";

/** What an app has that needs no engine. */
export interface NoEngines {
  secrets: Secrets;
  /** What is kept of a signer's `id_custom` to find it by. */
  customIdHmac: CustomIdHmac;
  /** Asks each engine whether it answers, by its name; each rejects, or takes its time, when it does not. */
  pings: Readonly<Record<string, () => Promise<void>>>;
  close(): Promise<void>;
}

/** What is on record, without what opens personal parts and files. */
export interface Records extends NoEngines {
  events: EventStore;
  readModels: ReadModelStore;
  freshness: CheckpointFreshness;
}

/** The stores that everything is kept in. */
export interface Kept extends Records {
  keys: KeyStore;
  files: FileStore;
}

/** The stores, and what commands go through. */
export interface Stores extends Kept {
  journal: Journal;
  handlers: Handlers;
  /** What this process goes by to forget what is erased; who keeps names in memory listens to it. */
  erasures: Pick<Erasures, "isFresh" | "onErased">;
}

/** All of it: the stores, and what brings obligations to who meets them. */
export interface Engines extends Stores {
  bus: MessageBus;
  /** Says which of several processes projects and publishes. */
  lease: LeaseStore;
}

/**
 * Opens what an app needs of the engines that the configuration names; embedded ones live in its data folder.
 * @throws {DataFolderError} when the folder can't be used, or SECRET is not the one that it was made with.
 * @throws {StoreFileError} when one of its files can't be used.
 * @throws {EngineUnreachable} when one over the wire does not answer.
 */
export type OpenEngines<Opened extends NoEngines> = (
  config: Config,
  runtime: Runtime,
  listeners?: EngineListeners,
) => Promise<Opened>;

/** For apps that need none. */
export const openNoEngines: OpenEngines<NoEngines> = opening(withSecrets);

/** For apps that look up what is on record. */
export const openRecords: OpenEngines<Records> = opening(async (ground) => recordsOn(await onDatabase(ground)));

/** For who copies what is kept: nothing is watched, and nothing changes by opening it. */
export const openKept: OpenEngines<Kept> = opening(async (ground) => keptOn(await onDatabase(ground), () => false));

/** For apps that read and write. What was erased and came back with a backup is gone again before it resolves. */
export const openStores: OpenEngines<Stores> = opening(async (ground) => storesOn(await onDatabase(ground)));

/** For apps that give or take obligations, too. What was erased and came back with a backup is gone before it resolves. */
export const openEngines: OpenEngines<Engines> = opening(async (ground) => {
  requireNatsUrl(ground.config);
  const onGround = await onDatabase(ground);
  const stores = await storesOn(onGround);
  const lease = ground.closing.adopt(await onGround.database.lease(), (opened) => opened.close());
  const bus = ground.closing.adopt(await openMessageBus(ground), (opened) => opened.close());
  const pings = ground.config.natsUrl === undefined ? {} : { [NATS.name]: pingOf(NATS, () => bus.ping()) };
  return { ...stores, lease, bus, pings: { ...stores.pings, ...pings } };
});

/** What engines stand on while they are opened. */
interface Ground extends Surroundings {
  /** Closes what was opened, the last first. */
  closing: AsyncDisposableStack;
}

type Unclosed<Opened extends NoEngines> = Omit<Opened, "close">;

/** What was opened before a step failed is closed again. */
function opening<Opened extends NoEngines>(open: (ground: Ground) => Promise<Unclosed<Opened>>): OpenEngines<Opened> {
  return async (config, runtime, listeners = {}) => {
    await using closing = new AsyncDisposableStack();
    const opened = await open({ config, runtime, listeners, closing });
    const kept = closing.move();
    return { ...opened, close: () => kept.disposeAsync() } as Opened;
  };
}

async function withSecrets({ config, runtime, listeners }: Ground): Promise<Unclosed<NoEngines>> {
  const { dataDir, eventStoreUrl, mongodbUrl, secret, formerSecrets } = config;
  if (eventStoreUrl === undefined || mongodbUrl === undefined || secret === undefined)
    for (const sentence of ensureDataFolder(dataDir)) listeners.warn?.(sentence);
  const current = secret ?? (await loadOrCreateSecret(dataDir, runtime.random));
  const secrets = createSecrets({ current, former: formerSecrets });
  return { secrets, customIdHmac: (accountId, idCustom) => customIdHmac(secrets, accountId, idCustom), pings: {} };
}

/** The ground, with the secrets and the database. */
interface DatabaseGround extends Ground {
  base: Unclosed<NoEngines>;
  database: Database;
}

async function onDatabase(ground: Ground): Promise<DatabaseGround> {
  const base = await withSecrets(ground);
  const database = ground.closing.adopt(await openDatabase(ground), (opened) => opened.close());
  return { ...ground, base, database };
}

async function recordsOn(ground: DatabaseGround): Promise<Unclosed<Records>> {
  const { base, database, closing, config, runtime } = ground;
  const readModels = closing.adopt(await database.readModels(), (opened) => opened.close());
  const events = closing.adopt(await openEventStore(ground), (opened) => opened.close());
  if (config.eventStoreUrl !== undefined) await reaching(EVENTSTOREDB, () => events.head());
  const pings = { ...eventStorePing(config, events), ...databasePing(database) };
  return { ...base, pings, readModels, events, freshness: createFreshness({ readModels, clock: runtime.clock }) };
}

const pingOf =
  (engine: WireEngine, ask: () => Promise<unknown>): (() => Promise<void>) =>
  async () =>
    void (await reaching(engine, ask));

const eventStorePing = ({ eventStoreUrl }: Config, events: EventStore): NoEngines["pings"] =>
  eventStoreUrl === undefined
    ? { "event store": async () => void (await events.head()) }
    : { [EVENTSTOREDB.name]: pingOf(EVENTSTOREDB, () => events.head()) };

const databasePing = ({ ping }: Database): NoEngines["pings"] =>
  ping ? { [MONGODB.name]: pingOf(MONGODB, ping) } : {};

async function keptOn(ground: DatabaseGround, mayHold: () => boolean): Promise<Unclosed<Kept>> {
  const { base, database, closing } = ground;
  const keys = closing.adopt(await database.keys({ secrets: base.secrets, mayHold }), (opened) => opened.close());
  const files = closing.adopt(await database.files(keys), (opened) => opened.close());
  return { ...(await recordsOn(ground)), keys, files };
}

async function storesOn(ground: DatabaseGround): Promise<Unclosed<Stores>> {
  const { closing, runtime, listeners } = ground;
  const warn = (sentence: string) => listeners.warn?.(sentence);
  let erasures: Erasures | undefined;
  const kept = await keptOn(ground, () => erasures?.isFresh() ?? false);
  const { keys, files, events } = kept;
  const journal = new Journal(events, keys, runtime, {
    onAppended: (appended) => listeners.appended?.(appended),
    onUnreadable: ({ stream, revision, reason }) =>
      warn(`The stream ${stream} can't be read from revision ${revision} on: ${reason}. Everything else goes on.`),
  });
  const handlers = createHandlers(journal, runtime);
  const opened = await reachingBoth(ground.config, () =>
    openErasures({ events, keys, files, handlers, clock: runtime.clock, warn }),
  );
  erasures = closing.adopt(opened, (one) => one.close());
  return { ...kept, journal, handlers, erasures: opened };
}
