import { childrenOf, type Element, NotDer, objectIdentifier, sequence, tag, text } from "../asn1/der.ts";
import { oid } from "../asn1/oids.ts";

/**
 * What this service signs, all with one certificate: so that none passes for another, each signature says which it is. Of
 * several seals of a document, those that others follow are over a part: cut off after one of them, it is not the document.
 */
export const signedKinds = ["document", "part", "report", "verification", "head"] as const;
export type SignedKind = (typeof signedKinds)[number];

/** What a signature is over: of which kind it is, and its id (the document's, also of a part; of a head, its root). */
export interface Named {
  kind: SignedKind;
  id: string;
}

const MAX_ID_LENGTH = 200;

/** What a seal says where another one of the same document follows it. */
export const partOf = (named: Named | undefined): Named | undefined =>
  named?.kind === "document" ? { kind: "part", id: named.id } : named;

/** The values of the signed attribute: `SEQUENCE { kind UTF8String, id UTF8String }`. */
export const namedValue = ({ kind, id }: Named): Buffer => sequence(text(kind), text(id));

/** The attribute's type. */
export const namedType = objectIdentifier(oid.rubricaNamed);

/** Reads the attribute's value; null when it is of a form, or a kind, that is not known here. @throws {NotDer} */
export const readNamed = (value: Element): Named | null => {
  const [kind, id, ...surplus] = childrenOf(value);
  if (kind?.tag !== tag.utf8String || id?.tag !== tag.utf8String || surplus.length > 0) throw new NotDer("no name");
  const known = signedKinds.find((one) => one === Buffer.from(kind.content).toString());
  const named = Buffer.from(id.content).toString();
  return known !== undefined && named.length <= MAX_ID_LENGTH ? { kind: known, id: named } : null;
};
