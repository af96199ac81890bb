import {
  openedAccount,
  type RequestedDocument,
  type RequestTexts,
  type Signer,
  type SignerPerson,
} from "@rubrica/domain";
import { HttpError } from "@rubrica/http";
import type { CommandApiDependencies } from "../dependencies.ts";

/** Who opened a signing link, for which document. */
export interface SigningSession {
  documentId: string;
  accountId: string;
  document: RequestedDocument;
  signer: Signer;
  /** The number of the signer's link: deciders are told it, in case the link is replaced meanwhile. */
  linkNumber: number;
  person: SignerPerson;
  texts: RequestTexts;
}

/** The answer's body for an invalid token. */
export const unknownLinkBody = { error: "Unknown signing link", code: "unknown_link" };

/** The answer's body for a link that was replaced. It says nothing else: whoever has the link may be a stranger. */
export const replacedBody = { error: "The link was replaced by another one", code: "link_replaced" };

/** The answer's body for a link of an erased document. Of who asked, only the account's own name is left. */
export const erasedBody = (businessName: string) => ({
  error: "The document has ended and was erased",
  code: "erased",
  business_name: businessName,
});

/** The answer to an invalid token. */
export const unknownLink = () => new HttpError(404, unknownLinkBody);

/** The session of a link's token. @throws {HttpError} 404 for an invalid token, 410 when the link was replaced, or the document erased. */
export const sessionOf = async (
  { tokens, handlers }: Pick<CommandApiDependencies, "tokens" | "handlers">,
  token: string,
): Promise<SigningSession> => {
  const link = tokens.read(token);
  if (!link) throw unknownLink();
  const document = await handlers.documents.load(link.documentId);
  if (document.status === "none") throw unknownLink();
  const signer = document.signers[link.signerIndex];
  if (signer && signer.linkNumber !== link.linkNumber) throw new HttpError(410, replacedBody);
  if (document.erasure !== "none") {
    const account = openedAccount(await handlers.accounts.load(document.accountId));
    throw new HttpError(410, erasedBody(account.businessName ?? account.name));
  }
  if (!signer?.person || !document.texts) throw unknownLink();
  const { documentId, accountId } = document;
  const { linkNumber } = link;
  return { documentId, accountId, document, signer, linkNumber, person: signer.person, texts: document.texts };
};
