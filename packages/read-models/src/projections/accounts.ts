import type { ApiKey } from "@rubrica/domain";
import type { JournalEvent } from "@rubrica/journal";
import type { Projection } from "../projection.ts";

/** What is asked of an account with every request. Its id is the account's. */
export type AccountRecord = {
  accountId: string;
  /** The team whose accounts read each other's documents, or null. */
  teamId: string | null;
  /** {@link membershipKey} of team and account, by which a team's accounts are found; null without a team. */
  membership: string | null;
  /** By the keys' ids. */
  keys: Record<string, ApiKey["state"]>;
  /** There when the account holds an event that can't be read: what its keys open is not known. */
  isUnreadable?: true;
};

/** The indexed field that tells which team an account is of. */
export const MEMBERSHIP_FIELD = "membership";

/** A team's accounts are those between the team with an empty id and with {@link AFTER_ANY_ID}. */
export const membershipKey = (teamId: string, accountId: string): string => `${teamId}/${accountId}`;
export const AFTER_ANY_ID = "~";

const keyOf = (event: JournalEvent): { keyId: string; state: ApiKey["state"] } | null => {
  switch (event.type) {
    case "ApiKeyIssued":
    case "ApiKeyUnblocked":
      return { keyId: event.data.keyId, state: "active" };
    case "ApiKeyBlocked":
      return { keyId: event.data.keyId, state: "blocked" };
    case "ApiKeyRevoked":
      return { keyId: event.data.keyId, state: "revoked" };
    default:
      return null;
  }
};

const isTouched = (event: JournalEvent): boolean =>
  event.type === "AccountOpened" || event.type === "JoinedTeam" || keyOf(event) !== null;

const evolve = (account: AccountRecord, event: JournalEvent): AccountRecord => {
  if (event.type === "JoinedTeam") {
    const { teamId } = event.data;
    return { ...account, teamId, membership: membershipKey(teamId, account.accountId) };
  }
  const key = keyOf(event);
  // A key that was revoked is unknown for good.
  if (!key || account.keys[key.keyId] === "revoked") return account;
  return { ...account, keys: { ...account.keys, [key.keyId]: key.state } };
};

/** Accounts with their teams and what became of their keys. */
export const accounts: Projection<AccountRecord> = {
  name: "accounts",
  version: 2,
  indexes: [{ field: MEMBERSHIP_FIELD }],
  keysOf: (event) => (event.streamKind === "account" && isTouched(event) ? [event.streamId] : []),
  project: (account, event, accountId) => {
    if (event.type === "AccountOpened") return account ?? { accountId, teamId: null, membership: null, keys: {} };
    return account && evolve(account, event);
  },
  setAside: {
    keysOf: ({ streamKind, streamId }) => (streamKind === "account" ? [streamId] : []),
    project: (account) => account && { ...account, isUnreadable: true },
  },
};
