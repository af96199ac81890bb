/** What a key opens. */
export interface KeyEntry {
  accountId: string;
  keyId: string;
  blocked: boolean;
}

/**
 * Accounts and keys, as far as they are known to this process: look-ups of what is in use do no I/O.
 * All reject with {@link NotYetThere} while what they would answer is not known, and with
 * {@link UnreadableStreamError} for an account that can't be read.
 */
export interface AccountDirectory {
  /** The key whose SHA-256 (lower-case hex) this is, unless it is unknown or revoked. */
  find(keySha256: string): Promise<KeyEntry | undefined>;
  /** Whether any account can't be read: a key that is not known may be its. */
  anyUnreadable(): Promise<boolean>;
  /** Catches up to the store's head once: what was committed before the call is known after it. */
  refresh(): Promise<void>;
  /** True for an account and itself, and for two accounts of one team. Costs the same whoever the other one is. */
  sameTeam(accountId: string, otherAccountId: string): Promise<boolean>;
  /** The other accounts of the account's team. */
  teammatesOf(accountId: string): Promise<readonly string[]>;
}
