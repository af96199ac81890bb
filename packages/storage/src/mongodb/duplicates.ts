import { MongoBulkWriteError, MongoServerError } from "mongodb";

const DUPLICATE_KEY = 11_000;

/**
 * Whether nothing but this went wrong: what was to be written was refused because its `_id`, or what a unique index
 * holds, is there already; of several writes that are not ordered, the others were made.
 */
export const isDuplicateKey = (error: unknown): boolean => {
  if (error instanceof MongoBulkWriteError) {
    const refused = [error.writeErrors].flat();
    return error.result.getWriteConcernError() === undefined && refused.every(({ code }) => code === DUPLICATE_KEY);
  }
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
};

const WRITE_ATTEMPTS = 5;

/**
 * Repeats a write that inserts what is missing and may be repeated: where two processes insert at once, one of them
 * gets a duplicate key and tries again.
 */
export const retryingDuplicates = async <T>(write: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await write();
    } catch (error) {
      if (!isDuplicateKey(error) || attempt === WRITE_ATTEMPTS) throw error;
    }
};
