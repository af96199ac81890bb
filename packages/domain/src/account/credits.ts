import type { AccountEvent } from "@rubrica/events";
import { DomainError } from "../decider.ts";
import { openedAccount } from "./account.ts";
import { type Account, includesId } from "./state.ts";

/** Credits that an operator gives; `grantId` tells one gift from another of as many. */
export interface GrantCredits {
  grantId: string;
  amount: number;
}

/** Adds credits, once for each grant. @throws {DomainError} unknown_account */
export const grantCredits = (account: Account, { grantId, amount }: GrantCredits): AccountEvent[] => {
  const { balance, grants } = openedAccount(account);
  if (includesId(grants, grantId)) return [];
  return [{ type: "CreditsGranted", data: { amount, balance: balance + amount, grantId }, personal: null }];
};

/** Gives a new account its first credits. Nothing when it had any before. @throws {DomainError} unknown_account */
export const grantFirstCredits = (account: Account, command: GrantCredits): AccountEvent[] => {
  const { balance, paidBulks } = openedAccount(account);
  return balance > 0 || paidBulks !== null ? [] : grantCredits(account, command);
};

/**
 * Pays for a bulk call, once: one credit a row, all rows or none.
 * @throws {DomainError} unknown_account; credits_exhausted when they don't suffice for all rows.
 */
export const spendCredits = (
  account: Account,
  { bulkId, amount }: { bulkId: string; amount: number },
): AccountEvent[] => {
  const { balance, paidBulks } = openedAccount(account);
  if (includesId(paidBulks, bulkId)) return [];
  if (balance < amount) throw new DomainError("credits_exhausted", "there are fewer credits than rows");
  return [{ type: "CreditsSpent", data: { bulkId, amount, balance: balance - amount }, personal: null }];
};

/** Pays a document that could not be prepared back, once. @throws {DomainError} unknown_account */
export const refundCredits = (
  account: Account,
  { documentId, amount }: { documentId: string; amount: number },
): AccountEvent[] => {
  const { balance, refundedDocuments } = openedAccount(account);
  if (includesId(refundedDocuments, documentId)) return [];
  return [{ type: "CreditsRefunded", data: { documentId, amount, balance: balance + amount }, personal: null }];
};
