import type { KeyRow, KeyStore } from "@rubrica/storage";
import { MigrationError } from "./migration-error.ts";
import { sideBySide } from "./side-by-side.ts";
import type { Tell } from "./step.ts";

const BATCH_ROWS = 500;

type Rows = Pick<KeyStore, "rows">;

/** How many keys there are, destroyed ones among them. */
export const countKeys = async (keys: Rows): Promise<number> => {
  let count = 0;
  for await (const _ of keys.rows()) count += 1;
  return count;
};

/**
 * Puts the keys that the target lacks. @throws {MigrationError} when it holds others.
 */
export const copyKeys = async (from: Rows, to: KeyStore, all: number, tell: Tell): Promise<void> => {
  if (!(await areMissing(from, to))) return;
  let done = 0;
  let batch: KeyRow[] = [];
  const put = async () => {
    await to.putRows(batch);
    done += batch.length;
    batch = [];
    tell("copy keys", done, all);
  };
  for await (const row of from.rows()) if (batch.push(row) === BATCH_ROWS) await put();
  if (batch.length > 0) await put();
};

/** Whether the target lacks keys, or destructions of keys. @throws {MigrationError} when it holds others. */
const areMissing = async (from: Rows, to: Rows): Promise<boolean> => {
  let missing = false;
  for await (const { left, right } of pairsOf(from, to)) {
    if (left && !right) missing = true;
    else if (!isSame(left, right)) {
      // Destroyed in the folder since it was copied.
      if (left?.wrapped !== null) throw otherKeys();
      missing = true;
    }
  }
  return missing;
};

const otherKeys = () =>
  new MigrationError(
    "The database that MONGODB_URL names holds keys that are not those of the data folder: use an empty database.",
  );

/** Checks that the target has every key, and no other. Gives their number. @throws {MigrationError} */
export const checkKeys = async (from: Rows, to: Rows, all: number, tell: Tell): Promise<number> => {
  let done = 0;
  for await (const { left, right } of pairsOf(from, to)) {
    if (!left) throw otherKeys();
    if (!isSame(left, right))
      throw new MigrationError(
        right
          ? "A key in the database that MONGODB_URL names is not what it is in the data folder."
          : "A key of the data folder is not in the database that MONGODB_URL names.",
      );
    done += 1;
    tell("check keys", done, all);
  }
  return done;
};

const pairsOf = (from: Rows, to: Rows) =>
  sideBySide(from.rows(), to.rows(), (a, b) => Buffer.compare(Buffer.from(a.owner), Buffer.from(b.owner)));

const isSame = (one: KeyRow | undefined, other: KeyRow | undefined): boolean => {
  if (!one || !other) return false;
  if (!one.wrapped || !other.wrapped) return one.wrapped === other.wrapped;
  return Buffer.compare(one.wrapped, other.wrapped) === 0;
};
