import { parse, stringify } from "uuid";
import type { Secrets } from "./secrets.ts";

/** Version 1 is of a signer's first link, 0; version 2 has the link's number as well. */
const FIRST_LINK_VERSION = 1;
const NUMBERED_VERSION = 2;
const ID_BYTES = 16;
const INDEX_AT = 1 + ID_BYTES;
const NUMBER_AT = INDEX_AT + 2;
const NUMBER_BYTES = 2;
const MAC_BYTES = 16;
const MAX_UINT16 = 0xffff;

/** Whose signing link it is: a document's id (UUID, lower case), the signer's place in its list, and which of their links, both from 0. */
export interface SigningLink {
  documentId: string;
  signerIndex: number;
  linkNumber: number;
}

/** The link's name, where requests are counted and queued by link: who has a former one takes nothing of the next. */
export const linkName = ({ documentId, signerIndex, linkNumber }: SigningLink): string =>
  [documentId, signerIndex, ...(linkNumber === 0 ? [] : [linkNumber])].join("/");

/** The token in a signing link. It says by itself whose it is, and nobody without SECRET can make one. */
export interface SigningTokens {
  /**
   * @param linkNumber how often the signer was corrected; default: 0
   * @throws {TypeError} when the document's id is no UUID. @throws {RangeError} when a number is not 0 to 65,535.
   */
  make(documentId: string, signerIndex: number, linkNumber?: number): string;
  /** Whose link it is, or undefined when the token is not, to the letter, one that was made here. */
  read(token: string): SigningLink | undefined;
}

/**
 * base64url(version, 1 byte · document id, 16 bytes · signer's index, 2 bytes big-endian · of a link after the first its
 * number, 2 bytes big-endian · HMAC, 128 bits), without padding: 47 characters, or 50. Tokens made with a former secret
 * are still read.
 */
export const signingTokens = (secrets: Secrets): SigningTokens => ({
  make(documentId, signerIndex, linkNumber = 0) {
    for (const number of [signerIndex, linkNumber]) {
      if (!Number.isInteger(number) || number < 0 || number > MAX_UINT16)
        throw new RangeError(`a signer's index, or a link's number, is a whole number up to ${MAX_UINT16}`);
    }
    const id = parse(documentId);
    const isFirst = linkNumber === 0;
    const macAt = isFirst ? NUMBER_AT : NUMBER_AT + NUMBER_BYTES;
    const token = Buffer.alloc(macAt + MAC_BYTES);
    token.writeUInt8(isFirst ? FIRST_LINK_VERSION : NUMBERED_VERSION);
    token.set(id, 1);
    token.writeUInt16BE(signerIndex, INDEX_AT);
    if (!isFirst) token.writeUInt16BE(linkNumber, NUMBER_AT);
    const link = { documentId: stringify(id), signerIndex, linkNumber };
    secrets.hmac("signing-link", partsOf(link)).copy(token, macAt, 0, MAC_BYTES);
    return token.toString("base64url");
  },

  read(text) {
    const token = Buffer.from(text, "base64url");
    // Decoding is lenient: what does not come out as it went in (padding, spare bits, other alphabets) is not ours.
    if (token.length < NUMBER_AT + MAC_BYTES || token.toString("base64url") !== text) return undefined;
    const macAt = macPlaceOf(token.readUInt8());
    if (token.length !== macAt + MAC_BYTES) return undefined;
    const linkNumber = macAt === NUMBER_AT ? 0 : token.readUInt16BE(NUMBER_AT);
    const signerIndex = token.readUInt16BE(INDEX_AT);
    const link = { documentId: idOf(token.subarray(1, INDEX_AT)), signerIndex, linkNumber };
    return secrets.verify("signing-link", partsOf(link), token.subarray(macAt)) ? link : undefined;
  },
});

/** Where the HMAC of a token of that version stands; nowhere, of a version that there is not. */
const macPlaceOf = (version: number): number => {
  if (version === FIRST_LINK_VERSION) return NUMBER_AT;
  return version === NUMBERED_VERSION ? NUMBER_AT + NUMBER_BYTES : Number.NaN;
};

const partsOf = ({ documentId, signerIndex, linkNumber }: SigningLink): string[] =>
  linkNumber === 0
    ? [String(FIRST_LINK_VERSION), documentId, String(signerIndex)]
    : [String(NUMBERED_VERSION), documentId, String(signerIndex), String(linkNumber)];

/** As `stringify` of uuid writes it, but without its check: the bytes are a stranger's until the MAC is verified. */
const idOf = (bytes: Buffer): string =>
  bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
