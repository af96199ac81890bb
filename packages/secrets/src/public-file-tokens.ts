import { parse, stringify } from "uuid";
import type { Secrets } from "./secrets.ts";

const VERSION = 1;
const ID_BYTES = 16;
const KIND_AT = 1 + ID_BYTES;
const MAC_AT = KIND_AT + 1;
const MAC_BYTES = 16;
const TOKEN_BYTES = MAC_AT + MAC_BYTES;

/** By their place in a token: never reorder. */
const kinds = ["document", "report"] as const;

/** A file of a legacy document that anyone with its address may read: the signed document, or the legal report. */
export interface PublicFile {
  /** UUID, lower case. */
  documentId: string;
  kind: (typeof kinds)[number];
}

/** The token in the public address of a file. It says by itself what it opens, and nobody without SECRET can make one. */
export interface PublicFileTokens {
  /** @throws {TypeError} when the document's id is no UUID. */
  make(file: PublicFile): string;
  /** What the token opens, or undefined when it is not, to the letter, one that was made here. */
  read(token: string): PublicFile | undefined;
}

const partsOf = ({ documentId, kind }: PublicFile): string[] => [String(VERSION), documentId, kind];

/**
 * base64url(version, 1 byte · document id, 16 bytes · kind, 1 byte · HMAC, 128 bits), without padding: 46 characters.
 * Tokens made with a former secret are still read.
 */
export const publicFileTokens = (secrets: Secrets): PublicFileTokens => ({
  make({ documentId, kind }) {
    const id = parse(documentId);
    const token = Buffer.alloc(TOKEN_BYTES);
    token.writeUInt8(VERSION);
    token.set(id, 1);
    token.writeUInt8(kinds.indexOf(kind), KIND_AT);
    secrets.hmac("public-file", partsOf({ documentId: stringify(id), kind })).copy(token, MAC_AT, 0, MAC_BYTES);
    return token.toString("base64url");
  },

  read(text) {
    const token = Buffer.from(text, "base64url");
    // Decoding is lenient: what does not come out as it went in is not ours.
    if (token.length !== TOKEN_BYTES || token.toString("base64url") !== text) return undefined;
    const kind = kinds[token.readUInt8(KIND_AT)];
    if (token.readUInt8() !== VERSION || kind === undefined) return undefined;
    const hex = token.subarray(1, KIND_AT).toString("hex");
    const file = { documentId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"), kind };
    return secrets.verify("public-file", partsOf(file), token.subarray(MAC_AT)) ? file : undefined;
  },
});

/** The public address of a file. `publicUrl`: where the outside reaches the service, without a slash at the end. */
export const publicFileUrl = (publicUrl: string, tokens: PublicFileTokens, file: PublicFile): string =>
  `${publicUrl}/files/${tokens.make(file)}.pdf`;
