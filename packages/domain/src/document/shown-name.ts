import type { RequestedDocument } from "./state.ts";

/** As long as it may stand beside the shown name. */
const MAX_ACCOUNT_NAME = 60;

const plain = (name: string): string => name.normalize("NFC").trim();

/**
 * The account's registered name, where the name that signers are shown is another: anybody may write any name into a
 * request. Null where they agree, and where it was not recorded.
 */
export const otherAccountName = ({
  requester,
  texts,
}: Pick<RequestedDocument, "requester" | "texts">): string | null => {
  if (!requester || !texts || plain(requester.accountName) === plain(texts.businessName)) return null;
  return plain(requester.accountName);
};

/** The requester as signers are told of it: the shown name, and the account's registered one beside it where it differs. */
export const requesterShown = (document: Pick<RequestedDocument, "requester" | "texts">): string => {
  const shown = document.texts?.businessName ?? "";
  const account = otherAccountName(document);
  if (account === null) return shown;
  const characters = [...account];
  const clipped = characters.length > MAX_ACCOUNT_NAME ? `${characters.slice(0, MAX_ACCOUNT_NAME).join("")}…` : account;
  return `${shown} (${clipped})`;
};
