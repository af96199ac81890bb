import type { AccountEvent } from "@rubrica/events";
import { DomainError } from "../decider.ts";
import { openedAccount } from "./account.ts";
import type { Account, ApiKey } from "./state.ts";

interface KeyNamed {
  keyId: string;
}

/** Issues an API key, of which only the SHA-256 is kept; once for each id. @throws {DomainError} unknown_account */
export const issueApiKey = (
  account: Account,
  { keyId, keySha256, name = null }: { keyId: string; keySha256: string; name?: string | null },
): AccountEvent[] =>
  openedAccount(account).keys[keyId]
    ? []
    : [{ type: "ApiKeyIssued", data: { keyId, keySha256, name }, personal: null }];

const knownKey = (account: Account, keyId: string): ApiKey => {
  const key = openedAccount(account).keys[keyId];
  if (!key) throw new DomainError("unknown_key", "the account has no such key");
  return key;
};

/** A key that was revoked is unknown for good. */
const livingKey = (account: Account, keyId: string): ApiKey => {
  const key = knownKey(account, keyId);
  if (key.state === "revoked") throw new DomainError("unknown_key", "the key was revoked");
  return key;
};

/** Ends a key for good, a blocked one too. @throws {DomainError} unknown_account, unknown_key */
export const revokeApiKey = (account: Account, { keyId }: KeyNamed): AccountEvent[] =>
  knownKey(account, keyId).state === "revoked" ? [] : [{ type: "ApiKeyRevoked", data: { keyId }, personal: null }];

/** Refuses a key until it is unblocked. @throws {DomainError} unknown_account, unknown_key */
export const blockApiKey = (account: Account, { keyId }: KeyNamed): AccountEvent[] =>
  livingKey(account, keyId).state === "blocked" ? [] : [{ type: "ApiKeyBlocked", data: { keyId }, personal: null }];

/** Lets a blocked key work again. @throws {DomainError} unknown_account, unknown_key */
export const unblockApiKey = (account: Account, { keyId }: KeyNamed): AccountEvent[] =>
  livingKey(account, keyId).state === "active" ? [] : [{ type: "ApiKeyUnblocked", data: { keyId }, personal: null }];
