import { domainToASCII } from "node:url";
import { certificateFields } from "./certificate-fields.ts";
import { childrenOf, dottedOf, type Element, readDer, tag } from "./der.ts";
import { oid } from "./oids.ts";

/** Names that an authority's certificates may have, or may not (RFC 5280, 4.2.1.10). */

/** GeneralName's choices. */
const [OTHER, MAIL, DNS, DIRECTORY] = [tag.constructed(0), tag.primitive(1), tag.primitive(2), tag.constructed(4)];
const [PERMITTED, EXCLUDED] = [tag.constructed(0), tag.constructed(1)];

interface Named {
  kind: number;
  /** What it says, in a form in which names that count as the same are the same; of one in a directory its parts. */
  parts: readonly string[];
}

/**
 * Whether a certificate has such names alone as those limits allow. A name of a kind that is limited and not judged here
 * (addresses of networks, URIs) is within none.
 */
export const isNamedWithin = (constraints: Uint8Array, certificate: Uint8Array): boolean => {
  const names = namesOf(certificate);
  const trees = childrenOf(readDer(constraints));
  const basesOf = (kind: number) =>
    trees
      .filter((tree) => tree.tag === kind)
      .flatMap((tree) => childrenOf(tree))
      .flatMap((one) => childrenOf(one).slice(0, 1).map(nameOf));
  const [permitted, excluded] = [basesOf(PERMITTED), basesOf(EXCLUDED)];
  return names.every((name) => {
    const [mayBe, mayNotBe] = [permitted, excluded].map((bases) => bases.filter(({ kind }) => kind === name.kind));
    const isWithin = (base: Named) => isBeneath(name, base);
    if (![MAIL, DNS, DIRECTORY].includes(name.kind)) return mayBe?.length === 0 && mayNotBe?.length === 0;
    return !mayNotBe?.some(isWithin) && (mayBe?.length === 0 || mayBe?.some(isWithin) === true);
  });
};

/** The subject, what else it is called, and where that has no e-mail address, those in the subject. */
const namesOf = (certificate: Uint8Array): Named[] => {
  const { subject, extensions } = certificateFields(certificate);
  const given = extensions.get(oid.subjectAlternativeName);
  const alternatives = given === undefined ? [] : childrenOf(readDer(given));
  const others = alternatives.map(nameOf);
  const own = partsOf(subject);
  const attributes = childrenOf(subject).flatMap((part) => childrenOf(part).map(childrenOf));
  const mails = attributes.flatMap(([type, value]) =>
    type && value && dottedOf(type) === oid.emailAddress ? [{ kind: MAIL, parts: [textOf(value).toLowerCase()] }] : [],
  );
  const hasMail = alternatives.some(({ tag: kind }) => kind === MAIL);
  return [...(own.length > 0 ? [{ kind: DIRECTORY, parts: own }] : []), ...others, ...(hasMail ? [] : mails)];
};

const nameOf = (name: Element): Named => {
  const mailbox = name.tag === OTHER ? mailboxOf(name) : null;
  if (mailbox !== null) return { kind: MAIL, parts: [mailbox] };
  if (name.tag !== DIRECTORY)
    return { kind: name.tag, parts: [Buffer.from(name.content).toString("latin1").toLowerCase()] };
  const [directory] = childrenOf(name);
  return { kind: DIRECTORY, parts: directory === undefined ? [] : partsOf(directory) };
};

/** An e-mail address beyond ASCII (SmtpUTF8Mailbox), which limits of addresses bind as well (RFC 9598, 6); null for other names. */
const mailboxOf = (name: Element): string | null => {
  const [type, wrapped] = childrenOf(name);
  if (type === undefined || dottedOf(type) !== oid.smtpUtf8Mailbox) return null;
  const [value] = wrapped === undefined ? [] : childrenOf(wrapped);
  const mailbox = value === undefined ? "" : textOf(value).toLowerCase();
  const at = mailbox.lastIndexOf("@") + 1;
  const host = mailbox.slice(at);
  return mailbox.slice(0, at) + (domainToASCII(host) || host);
};

const isBeneath = ({ kind, parts }: Named, base: Named): boolean => {
  const [own = "", limit = ""] = [parts[0], base.parts[0]];
  if (kind === DIRECTORY) return base.parts.every((part, index) => part === parts[index]);
  if (kind === DNS) return limit === "" || own === limit || own.endsWith(limit.startsWith(".") ? limit : `.${limit}`);
  if (limit.includes("@")) return own === limit;
  const host = own.slice(own.lastIndexOf("@") + 1);
  return limit.startsWith(".") ? host.endsWith(limit) : host === limit;
};

/** Parts of a name in a directory, from the outermost, so that those that count as the same are (7.1). */
const partsOf = (name: Element): string[] =>
  childrenOf(name).map((part) => {
    const attributes = childrenOf(part).map((attribute) => {
      const [type, value] = childrenOf(attribute);
      return [type === undefined ? "" : dottedOf(type), value === undefined ? "" : plain(textOf(value))] as const;
    });
    return JSON.stringify(attributes.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });

/** Characters that are mapped to nothing (RFC 4518, 2.2): nobody sees them. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\uFFFC]|(?![\s\x85])\p{Cc}/gu;

/** As values are prepared to be compared (RFC 4518, 2): unseen characters left out, case folded, NFKC, single blanks. */
const plain = (text: string): string =>
  folded(text.replace(UNSEEN, "").normalize("NFKC"))
    .normalize("NFKC")
    .replace(/[\s\x85]+/g, " ")
    .trim();

/** Case is folded by way of capitals, so that "ß" is "ss"; dotless i keeps its own letter. */
const folded = (text: string): string =>
  text.replace(/[^ı]+/gu, (part) => part.toLowerCase().toUpperCase().toLowerCase());

/** BMPString, UniversalString and UTF8String by their encodings, all others by their bytes. */
const [BMP, UNIVERSAL] = [0x1e, 0x1c];
const textOf = ({ tag: kind, content }: Element): string => {
  const bytes = Buffer.from(content);
  if (kind === tag.utf8String) return bytes.toString("utf8");
  const width = kind === BMP ? 2 : kind === UNIVERSAL ? 4 : 1;
  if (width === 1 || bytes.length % width !== 0) return bytes.toString("latin1");
  return Array.from({ length: bytes.length / width }, (_, index) => {
    const code = bytes.readUIntBE(index * width, width);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "\0";
  }).join("");
};
