import { parse, stringify } from "uuid";
import type { Secrets } from "./secrets.ts";

const VERSION = 1;
const ID_BYTES = 16;
const INDEX_AT = 1 + ID_BYTES;
const MAC_AT = INDEX_AT + 2;
const MAC_BYTES = 16;
const TOKEN_BYTES = MAC_AT + MAC_BYTES;
const MAX_SIGNER_INDEX = 0xffff;

/** Whose signing link it is: a document's id (UUID, lower case) and the signer's place in its list, from 0. */
export interface SigningLink {
  documentId: string;
  signerIndex: number;
}

/** The link's name, where requests are counted and queued by link. */
export const linkName = ({ documentId, signerIndex }: SigningLink): string => `${documentId}/${signerIndex}`;

/** The token in a signing link. It says by itself whose it is, and nobody without SECRET can make one. */
export interface SigningTokens {
  /** @throws {TypeError} when the document's id is no UUID. @throws {RangeError} when the index is not 0 to 65,535. */
  make(documentId: string, signerIndex: number): string;
  /** Whose link it is, or undefined when the token is not, to the letter, one that was made here. */
  read(token: string): SigningLink | undefined;
}

/**
 * base64url(version, 1 byte · document id, 16 bytes · signer's index, 2 bytes big-endian · HMAC, 128 bits), without
 * padding: 47 characters. Tokens made with a former secret are still read.
 */
export const signingTokens = (secrets: Secrets): SigningTokens => ({
  make(documentId, signerIndex) {
    if (!Number.isInteger(signerIndex) || signerIndex < 0 || signerIndex > MAX_SIGNER_INDEX)
      throw new RangeError(`a signer's index is a whole number up to ${MAX_SIGNER_INDEX}`);
    const id = parse(documentId);
    const token = Buffer.alloc(TOKEN_BYTES);
    token.writeUInt8(VERSION);
    token.set(id, 1);
    token.writeUInt16BE(signerIndex, INDEX_AT);
    secrets.hmac("signing-link", partsOf({ documentId: stringify(id), signerIndex })).copy(token, MAC_AT, 0, MAC_BYTES);
    return token.toString("base64url");
  },

  read(text) {
    const token = Buffer.from(text, "base64url");
    // Decoding is lenient: what does not come out as it went in (padding, spare bits, other alphabets) is not ours.
    if (token.length !== TOKEN_BYTES || token.toString("base64url") !== text) return undefined;
    if (token.readUInt8() !== VERSION) return undefined;
    const link = { documentId: idOf(token.subarray(1, INDEX_AT)), signerIndex: token.readUInt16BE(INDEX_AT) };
    return secrets.verify("signing-link", partsOf(link), token.subarray(MAC_AT)) ? link : undefined;
  },
});

const partsOf = ({ documentId, signerIndex }: SigningLink): string[] => [
  String(VERSION),
  documentId,
  String(signerIndex),
];

/** As `stringify` of uuid writes it, but without its check: the bytes are a stranger's until the MAC is verified. */
const idOf = (bytes: Buffer): string =>
  bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
