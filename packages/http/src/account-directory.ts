/** What a key opens. */
export interface KeyEntry {
  accountId: string;
  keyId: string;
  blocked: boolean;
}

/** A template for requests: null leaves a field to the defaults. */
export interface Campaign {
  campaignId: number;
  name: string;
  messageText: string | null;
  requestPhotos: boolean | null;
  validatePhotos: boolean | null;
}

/** An account as its events have it. */
export interface AccountEntry {
  accountId: string;
  name: string;
  plan: "basic" | "pro";
  /** The name that was set for signers to see, or null. */
  businessName: string | null;
  /** The team whose accounts read each other's documents, or null. */
  teamId: string | null;
  campaigns: ReadonlyMap<number, Campaign>;
}

/** Accounts and keys, in memory, as far as they are known to this process (all look-ups do no I/O). */
export interface AccountDirectory {
  /** The key whose SHA-256 (lower-case hex) this is, unless it is unknown or revoked. */
  find(keySha256: string): KeyEntry | undefined;
  /** Catches up to the store's head once: what was committed before the call is known after it. */
  refresh(): Promise<void>;
  accountOf(accountId: string): AccountEntry | undefined;
  /** True for an account and itself, and for two accounts of one team. */
  sameTeam(accountId: string, otherAccountId: string): boolean;
  /** The other accounts of the account's team. */
  teammatesOf(accountId: string): readonly string[];
}
