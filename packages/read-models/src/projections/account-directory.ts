import { comparePositions, type Position, type RecordedEvent } from "@rubrica/event-store";
import type { AccountEvent, Plan } from "@rubrica/events";
import type { Journal, JournalEvent } from "@rubrica/journal";

/** A template for requests: null leaves a field to the defaults. */
export interface DirectoryCampaign {
  campaignId: number;
  name: string;
  messageText: string | null;
  requestPhotos: boolean | null;
  validatePhotos: boolean | null;
}

/** An account as its events have it. */
export interface DirectoryAccount {
  accountId: string;
  name: string;
  plan: Plan;
  /** The name that was set for signers to see, or null. */
  businessName: string | null;
  teamId: string | null;
  campaigns: ReadonlyMap<number, DirectoryCampaign>;
}

/** What a key opens. */
export interface DirectoryKey {
  accountId: string;
  keyId: string;
  blocked: boolean;
}

const PREFIX = "account-";
const READ_BATCH = 500;

const opened = (accountId: string, { data }: Extract<AccountEvent, { type: "AccountOpened" }>): DirectoryAccount => ({
  accountId,
  name: data.name,
  plan: data.plan,
  businessName: null,
  teamId: null,
  campaigns: new Map(),
});

const evolve = (account: DirectoryAccount, event: JournalEvent): DirectoryAccount => {
  switch (event.type) {
    case "BusinessNameChanged":
      return { ...account, businessName: event.data.businessName };
    case "PlanChanged":
      return { ...account, plan: event.data.plan };
    case "JoinedTeam":
      return { ...account, teamId: event.data.teamId };
    case "CampaignCreated":
      return { ...account, campaigns: new Map(account.campaigns).set(event.data.campaignId, event.data) };
    default:
      return account;
  }
};

/**
 * Every account and key, folded in memory from the account streams: what the API-key check asks, without I/O.
 *
 * `follow` keeps it up with the store, another process's appends included; `refresh` catches up once. Both may apply
 * the same events: each source is without gaps from where the directory stood, so what is at or below it is passed over.
 */
export class EventSourcedAccountDirectory {
  readonly #journal: Journal;
  readonly #accounts = new Map<string, DirectoryAccount>();
  readonly #keysBySha256 = new Map<string, DirectoryKey>();
  readonly #sha256ByKeyId = new Map<string, string>();
  readonly #teams = new Map<string, Set<string>>();
  #position: Position | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  find(keySha256: string): DirectoryKey | undefined {
    return this.#keysBySha256.get(keySha256);
  }

  accountOf(accountId: string): DirectoryAccount | undefined {
    return this.#accounts.get(accountId);
  }

  sameTeam(accountId: string, otherAccountId: string): boolean {
    if (accountId === otherAccountId) return true;
    const teamId = this.#accounts.get(accountId)?.teamId ?? null;
    return teamId !== null && teamId === this.#accounts.get(otherAccountId)?.teamId;
  }

  teammatesOf(accountId: string): readonly string[] {
    const teamId = this.#accounts.get(accountId)?.teamId ?? null;
    if (teamId === null) return [];
    return [...(this.#teams.get(teamId) ?? [])].filter((member) => member !== accountId);
  }

  /** What was committed before the call is known after it. */
  async refresh(): Promise<void> {
    const head = await this.#journal.store.head();
    if (!head || (this.#position && comparePositions(head, this.#position) <= 0)) return;
    let batch: RecordedEvent[] = [];
    for await (const recorded of this.#journal.store.readAll(this.#position, { streamPrefix: PREFIX })) {
      batch.push(recorded);
      if (batch.length < READ_BATCH) continue;
      this.#applyAll(await this.#journal.restore(batch));
      batch = [];
    }
    this.#applyAll(await this.#journal.restore(batch));
    this.#moveTo(head);
  }

  /** Follows the account streams until the signal is aborted. @throws whatever the store fails with for good. */
  async follow(signal: AbortSignal): Promise<void> {
    const batches = this.#journal.subscribe({ after: this.#position, streamPrefix: PREFIX, signal });
    for await (const { events, position } of batches) {
      this.#applyAll(events);
      if (position) this.#moveTo(position);
    }
  }

  #moveTo(position: Position): void {
    if (!this.#position || comparePositions(position, this.#position) > 0) this.#position = position;
  }

  #applyAll(events: readonly JournalEvent[]): void {
    for (const event of events) {
      if (this.#position && comparePositions(event.position, this.#position) <= 0) continue;
      this.#applyKey(event);
      this.#applyAccount(event);
    }
    const last = events.at(-1);
    if (last) this.#moveTo(last.position);
  }

  #applyKey(event: JournalEvent): void {
    switch (event.type) {
      case "ApiKeyIssued": {
        const { keyId, keySha256 } = event.data;
        this.#sha256ByKeyId.set(keyId, keySha256);
        this.#keysBySha256.set(keySha256, { accountId: event.streamId, keyId, blocked: false });
        return;
      }
      case "ApiKeyRevoked":
        this.#keysBySha256.delete(this.#sha256ByKeyId.get(event.data.keyId) ?? "");
        return;
      case "ApiKeyBlocked":
        this.#setBlocked(event.data.keyId, true);
        return;
      case "ApiKeyUnblocked":
        this.#setBlocked(event.data.keyId, false);
        return;
    }
  }

  #setBlocked(keyId: string, blocked: boolean): void {
    const sha256 = this.#sha256ByKeyId.get(keyId) ?? "";
    const key = this.#keysBySha256.get(sha256);
    if (key) this.#keysBySha256.set(sha256, { ...key, blocked });
  }

  #applyAccount(event: JournalEvent): void {
    const before = this.#accounts.get(event.streamId);
    if (event.type === "AccountOpened" && !before) this.#accounts.set(event.streamId, opened(event.streamId, event));
    if (!before) return;
    this.#accounts.set(event.streamId, evolve(before, event));
    if (event.type === "JoinedTeam") this.#changeTeam(before, event.data.teamId);
  }

  #changeTeam({ accountId, teamId }: DirectoryAccount, newTeamId: string): void {
    if (teamId !== null) this.#teams.get(teamId)?.delete(accountId);
    const team = this.#teams.get(newTeamId) ?? new Set();
    this.#teams.set(newTeamId, team.add(accountId));
  }
}
