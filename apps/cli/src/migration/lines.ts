import type { LineRow, Lines } from "@rubrica/storage";
import { MigrationError } from "./migration-error.ts";

/** Written at once: each is a few calls to the server. */
const BATCH_ROWS = 50;

/** Has the target hold the phones' lines that the folder does: else a phone's next document would wait for no other. */
export const copyLines = async (from: Lines, to: Lines): Promise<void> => {
  // A line may have got another id in the folder since it was copied.
  for await (const { lookup, line, owner } of to.rows())
    if ((await from.find(lookup))?.line !== line) await to.take(lookup, owner);
  if (await from.areAdopted()) await to.noteAdopted();
  let batch: LineRow[] = [];
  const give = async () => {
    await Promise.all(batch.map(({ lookup, owner, line }) => to.give(lookup, owner, line)));
    batch = [];
  };
  for await (const row of from.rows()) if (batch.push(row) === BATCH_ROWS) await give();
  await give();
};

/** Checks that the target holds the lines that the folder does. @throws {MigrationError} */
export const checkLines = async (from: Lines, to: Lines): Promise<void> => {
  for await (const { lookup, line } of from.rows())
    if ((await to.find(lookup))?.line !== line)
      throw new MigrationError(
        "The database that MONGODB_URL names does not hold the phones' lines that the data folder does: migrate again.",
      );
};
