import type { KnownEnd, KnownHead, KnownLog } from "@rubrica/storage";
import { MigrationError } from "./migration-error.ts";

const BATCH_ENDS = 500;

/** Copies what is known beside the keys of the log: a stream that was cut stands still on the other engines as well. */
export const copyKnownLog = async (from: KnownLog, to: KnownLog): Promise<void> => {
  await copyHead(from.first, to.first);
  await copyHead(from.former, to.former);
  await copyHead(from, to);
};

const copyHead = async (from: KnownHead, to: KnownHead): Promise<void> => {
  const head = await from.head();
  if (head === undefined) return;
  let batch: KnownEnd[] = [];
  for await (const end of from.ends()) {
    if (batch.push(end) < BATCH_ENDS) continue;
    await to.note(head, batch);
    batch = [];
  }
  await to.note(head, batch);
};

/** Checks that the target knows of the log what the folder does. @throws {MigrationError} */
export const checkKnownLog = async (from: KnownLog, to: KnownLog): Promise<void> => {
  await checkHead(from.first, to.first);
  await checkHead(from.former, to.former);
  await checkHead(from, to);
};

const checkHead = async (from: KnownHead, to: KnownHead): Promise<void> => {
  const other = () =>
    new MigrationError(
      "The database that MONGODB_URL names does not know of the event log what the data folder does: migrate again.",
    );
  const head = await from.head();
  if (head === undefined) return;
  if ((await to.head()) !== head) throw other();
  for await (const { stream, revision, hash } of from.ends()) {
    const known = await to.end(stream);
    if (known?.revision !== revision || known.hash !== hash) throw other();
  }
};
