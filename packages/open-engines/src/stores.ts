import { createHandlers, type Handlers } from "@rubrica/commands";
import { Journal, prepareAuthentication } from "@rubrica/journal";
import type { MessageBus } from "@rubrica/message-bus";
import type { LeaseStore } from "@rubrica/storage";
import { type Erasures, openErasures } from "./erasures.ts";
import { openMessageBus, requireNatsUrl } from "./message-bus.ts";
import { type Ground, type OpenEngines, opening, type Unclosed } from "./no-engines.ts";
import { type DatabaseGround, type Kept, keptOn, onDatabase, pingOf } from "./records.ts";
import { NATS, reachingBoth } from "./unreachable.ts";

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
  /** Says which of those that wait for it fills read models that its holder does not have. */
  fillingLease: LeaseStore;
}

/** For apps that read and write. What was erased and came back with a backup is gone again before it resolves. */
export const openStores: OpenEngines<Stores> = opening(async (ground) => storesOn(await onDatabase(ground)));

/** For apps that give or take obligations, too. What was erased and came back with a backup is gone before it resolves. */
export const openEngines: OpenEngines<Engines> = opening((ground) => enginesOn(ground));

/** For all apps in one process: whoever asks it, has what it did. */
export const openWholeEngines: OpenEngines<Engines> = opening((ground) => enginesOn(ground), { keepsReads: true });

const enginesOn = async (ground: Ground): Promise<Unclosed<Engines>> => {
  requireNatsUrl(ground.config);
  const onGround = await onDatabase(ground);
  const stores = await storesOn(onGround);
  const lease = await leaseOn(onGround, "projector");
  const fillingLease = await leaseOn(onGround, "projector filling");
  const bus = ground.closing.adopt(await openMessageBus(ground), (opened) => opened.close());
  const pings = ground.config.natsUrl === undefined ? {} : { [NATS.name]: pingOf(NATS, () => bus.ping()) };
  return { ...stores, lease, fillingLease, bus, pings: { ...stores.pings, ...pings } };
};

const leaseOn = async ({ closing, database }: DatabaseGround, name: string): Promise<LeaseStore> =>
  closing.adopt(await database.lease(name), (opened) => opened.close());

const storesOn = async (ground: DatabaseGround): Promise<Unclosed<Stores>> => {
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
  const opened = await reachingBoth(ground.config, async () => {
    await prepareAuthentication(events, keys);
    return openErasures({ events, keys, files, handlers, runtime, warn });
  });
  erasures = closing.adopt(opened, (one) => one.close());
  return { ...kept, journal, handlers, erasures: opened };
};
