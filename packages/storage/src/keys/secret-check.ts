import type { Secrets } from "@rubrica/secrets";
import type { KeyRow } from "./port.ts";
import { KeyUnreadableError, unwrap } from "./wrapping.ts";

/** How many of the newest keys are tried for finding out whether the secret is the right one. */
export const LOOKED_AT_KEYS = 32;

/**
 * Found out at the start: later each answer would fail, and new keys would be wrapped by a secret of another store.
 * One key that opens shows the secret to be the right one: those that don't are damaged.
 * @param newest the newest keys, none of them destroyed.
 * @throws {KeyUnreadableError} when there are some and none opens.
 */
export const checkSecret = (secrets: Secrets, newest: readonly KeyRow[]): void => {
  const opens = ({ owner, wrapped }: KeyRow): boolean => {
    try {
      unwrap(secrets, owner, wrapped ?? Buffer.alloc(0));
      return true;
    } catch {
      return false;
    }
  };
  if (newest.length > 0 && !newest.some(opens)) throw new KeyUnreadableError();
};
