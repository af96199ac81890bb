import { carryOutErasures } from "@rubrica/commands";
import type { EventStore } from "@rubrica/event-store";
import type { Collection, ReadModelStore } from "@rubrica/read-models";
import type { FileStore, KeyStore } from "@rubrica/storage";
import { type Compared, checkEvents, copyEvents, guessEvents } from "./events.ts";
import { checkFileNames, checkFiles, copyFiles, countFiles } from "./files.ts";
import { checkKeys, copyKeys, countKeys } from "./keys.ts";
import { checkKnownLog, copyKnownLog } from "./known-log.ts";
import { checkLines, copyLines } from "./lines.ts";
import { MigrationError } from "./migration-error.ts";
import type { Tell } from "./step.ts";

/** What a service can't make anew: it is copied from one set of engines to another. */
export interface Contents {
  events: EventStore;
  keys: KeyStore;
  files: FileStore;
}

/** From where to where, and who is told how far it is. */
export interface Migration {
  from: Contents;
  to: Contents & {
    /** What is projected there is made anew from the events, and must not be of others. */
    readModels: Pick<ReadModelStore, "checkpointOf">;
  };
  /** The read models' collections. */
  collections: readonly Collection[];
  tell: Tell;
}

/** What both sides hold, the same. */
export interface Copied extends Compared {
  keys: number;
  files: number;
}

/**
 * Copies keys, with what is known beside them of the log and of phones' lines, files and events, and checks that both
 * sides hold the same. Nobody else may write to either meanwhile. It may be cut at any point and repeated: what is
 * there is not copied again.
 *
 * Events come last, and in their order: what they tell of is there before them. The notes of up to where erasures
 * were carried out are not copied, since positions are each event store's own: erasures are carried out on both
 * sides.
 *
 * @throws {MigrationError} when the target holds what is not the source's, or the source what can't be copied.
 */
export const migrate = async ({ from, to, collections, tell }: Migration): Promise<Copied> => {
  await refuseStrangers(to, collections);
  // What was cut of an erasure is gone before it is copied, not after.
  await carryOutErasures(from);
  const all = await countAll(from);
  await copyKeys(from.keys, to.keys, all.keys, tell);
  await copyFiles(from.files, to.files, all.files, tell);
  await copyEvents(from.events, to.events, all.events, tell);
  await copyKnownLog(from.keys.log, to.keys.log);
  await copyLines(from.keys.lines, to.keys.lines);
  // What was erased between two runs is gone from what the first one copied.
  await carryOutErasures(to);
  const keys = await checkKeys(from.keys, to.keys, all.keys, tell);
  const files = await checkFileNames(from.files, to.files);
  return { keys, files, ...(await checkEvents(from.events, to.events, all.events, tell)) };
};

/** Checks that both sides hold the same, and changes nothing. @throws {MigrationError} when they do not. */
export const verifyMigration = async ({ from, to, tell }: Omit<Migration, "collections">): Promise<Copied> => {
  const all = await countAll(from);
  const keys = await checkKeys(from.keys, to.keys, all.keys, tell);
  await checkFiles(from.files, to.files, all.files, tell);
  await checkKnownLog(from.keys.log, to.keys.log);
  await checkLines(from.keys.lines, to.keys.lines);
  return { keys, files: all.files, ...(await checkEvents(from.events, to.events, all.events, tell)) };
};

const countAll = async ({ keys, files, events }: Contents) => ({
  keys: await countKeys(keys),
  files: await countFiles(files),
  events: await guessEvents(events),
});

/** Read models go by positions: those of another event store would be taken for those of the copied events. */
const refuseStrangers = async (
  { events, readModels }: Migration["to"],
  collections: readonly Collection[],
): Promise<void> => {
  if (await events.lastPosition()) return;
  for (const collection of collections)
    if (await readModels.checkpointOf(collection))
      throw new MigrationError(
        "The database that MONGODB_URL names holds read models, and the event store no events that they were made of: use an empty database.",
      );
};
