import type { Config } from "@rubrica/config";
import type { EventStore } from "@rubrica/event-store";
import { type CheckpointFreshness, createFreshness, type ReadModelStore } from "@rubrica/read-models";
import type { FileStore, KeyStore, KnownLog } from "@rubrica/storage";
import { type Database, openDatabase } from "./database.ts";
import { openEventStore } from "./event-store.ts";
import { type Ground, type NoEngines, type OpenEngines, opening, type Unclosed, withSecrets } from "./no-engines.ts";
import { EVENTSTOREDB, MONGODB, reaching, type WireEngine } from "./unreachable.ts";

/** What is on record, without what opens personal parts and files. */
export interface Records extends NoEngines {
  events: EventStore;
  readModels: ReadModelStore;
  freshness: CheckpointFreshness;
  /** Where streams are known to have come to, by a signed head: beside the keys, apart from the events. */
  known: Pick<KnownLog, "end" | "first" | "head">;
}

/** The stores that everything is kept in. */
export interface Kept extends Records {
  keys: KeyStore;
  files: FileStore;
}

/** For apps that look up what is on record. */
export const openRecords: OpenEngines<Records> = opening(async (ground) => {
  const onGround = await onDatabase(ground);
  const known = ground.closing.adopt(await onGround.database.knownLog(), (opened) => opened.close());
  return { ...(await recordsOn(onGround)), known };
});

/** For who copies what is kept: nothing is watched, and nothing changes by opening it. */
export const openKept: OpenEngines<Kept> = opening(async (ground) => keptOn(await onDatabase(ground), () => false));

/** The ground, with the secrets and the database. */
export interface DatabaseGround extends Ground {
  base: Unclosed<NoEngines>;
  database: Database;
}

export const onDatabase = async (ground: Ground): Promise<DatabaseGround> => {
  const base = await withSecrets(ground);
  const database = ground.closing.adopt(await openDatabase(ground), (opened) => opened.close());
  return { ...ground, base, database };
};

const recordsOn = async (ground: DatabaseGround): Promise<Omit<Unclosed<Records>, "known">> => {
  const { base, database, closing, config, runtime } = ground;
  const readModels = closing.adopt(await database.readModels(), (opened) => opened.close());
  const events = closing.adopt(await openEventStore(ground), (opened) => opened.close());
  if (config.eventStoreUrl !== undefined) await reaching(EVENTSTOREDB, () => events.lastPosition());
  const pings = { ...eventStorePing(config, events), ...databasePing(database) };
  return { ...base, pings, readModels, events, freshness: createFreshness({ readModels, clock: runtime.clock }) };
};

export const pingOf =
  (engine: WireEngine, ask: () => Promise<unknown>): (() => Promise<void>) =>
  async () =>
    void (await reaching(engine, ask));

const eventStorePing = ({ eventStoreUrl }: Config, events: EventStore): NoEngines["pings"] =>
  eventStoreUrl === undefined
    ? { "event store": async () => void (await events.lastPosition()) }
    : { [EVENTSTOREDB.name]: pingOf(EVENTSTOREDB, () => events.lastPosition()) };

const databasePing = ({ ping }: Database): NoEngines["pings"] =>
  ping ? { [MONGODB.name]: pingOf(MONGODB, ping) } : {};

export const keptOn = async (ground: DatabaseGround, mayHold: () => boolean): Promise<Unclosed<Kept>> => {
  const { base, database, closing } = ground;
  const keys = closing.adopt(await database.keys({ secrets: base.secrets, mayHold }), (opened) => opened.close());
  const files = closing.adopt(await database.files(keys), (opened) => opened.close());
  return { ...(await recordsOn(ground)), keys, files, known: keys.log };
};
