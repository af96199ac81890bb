import { type AccountDirectory, type KeyEntry, NotYetThere, UnreadableAccount } from "@rubrica/http";
import type { Journal } from "@rubrica/journal";
import {
  AFTER_ANY_ID,
  accounts,
  anyQuarantined,
  apiKeys,
  MEMBERSHIP_FIELD,
  membershipKey,
  ProjectorBehindError,
  type ReadModelStore,
  TailedRecords,
} from "@rubrica/read-models";
import type { Clock } from "@rubrica/runtime";
import { LRUCache } from "lru-cache";

const STREAM_PREFIX = "account-";
const MAX_TEAMS = 1_000;
const MAX_ISSUED = 10_000;
const ACCOUNTS_A_READ = 1_000;

export interface AccountDirectoryOptions {
  journal: Pick<Journal, "store" | "subscribe" | "restore">;
  readModels: Pick<ReadModelStore, "get" | "checkpointOf" | "findRange">;
  clock: Clock;
  /** Told of every failure to follow. */
  onError: (error: unknown) => void;
}

/** A team's accounts, as they were at a version of the records. */
interface Team {
  version: number;
  members: ReadonlySet<string>;
}

/** The directory over the read models of accounts and keys, ahead of their projector by the events since. */
export class ReadModelAccountDirectory implements AccountDirectory {
  readonly #readModels: AccountDirectoryOptions["readModels"];
  readonly #records: TailedRecords;
  readonly #teams = new LRUCache<string, Team>({ max: MAX_TEAMS });
  readonly #journal: AccountDirectoryOptions["journal"];
  readonly #onError: AccountDirectoryOptions["onError"];
  /** Keys (SHA-256) that an event was found to issue, by their ids. */
  readonly #issued = new LRUCache<string, string>({ max: MAX_ISSUED });

  constructor(options: AccountDirectoryOptions) {
    this.#readModels = options.readModels;
    this.#journal = options.journal;
    this.#onError = options.onError;
    this.#records = new TailedRecords({ ...options, projections: [accounts, apiKeys], streamPrefix: STREAM_PREFIX });
  }

  find(keySha256: string): Promise<KeyEntry | undefined> {
    return this.#knowing(async () => {
      const key = await this.#records.get(apiKeys, keySha256);
      if (!key) return undefined;
      const account = await this.#records.get(accounts, key.accountId);
      if (account?.isUnreadable) throw new UnreadableAccount();
      const state = account?.keys[key.keyId];
      if (state === undefined || state === "revoked") return undefined;
      if (!(await this.#isIssued(keySha256, key))) return undefined;
      return { ...key, blocked: state === "blocked" };
    });
  }

  async anyUnreadable(): Promise<boolean> {
    return this.#records.anySetAside || (await anyQuarantined(this.#readModels, STREAM_PREFIX));
  }

  refresh(): Promise<void> {
    return this.#knowing(() => this.#records.refresh());
  }

  /** Keeps it up until the signal is aborted. */
  follow(signal: AbortSignal): Promise<void> {
    return this.#records.follow(signal);
  }

  // By the caller's team alone: whether the other account is there takes no time to find out.
  async sameTeam(accountId: string, otherAccountId: string): Promise<boolean> {
    return accountId === otherAccountId || (await this.#teamOf(accountId)).has(otherAccountId);
  }

  async teammatesOf(accountId: string): Promise<readonly string[]> {
    return [...(await this.#teamOf(accountId))].filter((member) => member !== accountId);
  }

  /**
   * Whether an event issues the key, as its record says: who can write to the read models alone could have written that. Looked
   * for once in a process.
   */
  async #isIssued(keySha256: string, { accountId, keyId }: Pick<KeyEntry, "accountId" | "keyId">): Promise<boolean> {
    if (this.#issued.get(keySha256) === keyId) return true;
    for await (const recorded of this.#journal.store.readStream(`${STREAM_PREFIX}${accountId}`)) {
      const { keySha256: issued, keyId: issuedId } = (recorded.data.data ?? {}) as Record<string, unknown>;
      if (recorded.type !== "ApiKeyIssued" || issued !== keySha256 || issuedId !== keyId) continue;
      // One that this service did not write can't be read.
      await this.#journal.restore([recorded]);
      this.#issued.set(keySha256, keyId);
      return true;
    }
    this.#onError(new Error(`the read models hold an API key (${keyId}) that no event issues: rebuild them`));
    return false;
  }

  /** Nobody for an account without a team. */
  #teamOf(accountId: string): Promise<ReadonlySet<string>> {
    return this.#knowing(async () => {
      const teamId = (await this.#records.get(accounts, accountId))?.teamId ?? null;
      return teamId === null ? new Set<string>() : this.#membersOf(teamId);
    });
  }

  async #membersOf(teamId: string): Promise<ReadonlySet<string>> {
    for (;;) {
      const { version } = this.#records;
      const known = this.#teams.get(teamId);
      if (known?.version === version) return known.members;
      const members = new Set<string>();
      for (const accountId of await this.#candidatesOf(teamId))
        if ((await this.#records.get(accounts, accountId))?.teamId === teamId) members.add(accountId);
      if (this.#records.version !== version) continue;
      this.#teams.set(teamId, { version, members });
      return members;
    }
  }

  /** Accounts that are in the team by the read models, or joined it since. */
  async #candidatesOf(teamId: string): Promise<ReadonlySet<string>> {
    const candidates = new Set<string>();
    const upTo = membershipKey(teamId, AFTER_ANY_ID);
    let after = membershipKey(teamId, "");
    for (let isWhole = false; !isWhole; ) {
      const range = { after, upTo, limit: ACCOUNTS_A_READ };
      const found = await this.#readModels.findRange(accounts, MEMBERSHIP_FIELD, range);
      for (const { id } of found) candidates.add(id);
      after = membershipKey(teamId, found.at(-1)?.id ?? AFTER_ANY_ID);
      isWhole = found.length < ACCOUNTS_A_READ;
    }
    for (const event of this.#records.heldFor(accounts))
      if (event.type === "JoinedTeam" && event.data.teamId === teamId) candidates.add(event.streamId);
    return candidates;
  }

  async #knowing<Result>(look: () => Promise<Result>): Promise<Result> {
    try {
      return await look();
    } catch (error) {
      throw error instanceof ProjectorBehindError ? new NotYetThere() : error;
    }
  }
}
