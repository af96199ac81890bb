import { gunzipSync } from "node:zlib";
import type { DocxBudget } from "../package/budget.ts";
import { DocxRefused, unknownContent } from "../refused.ts";
import { isGzip, looksLikeXml, pictureTypeOf } from "./signatures.ts";
import { selfContainedSvg } from "./svg.ts";

/** A picture that an office program may be given. */
export interface Picture {
  contentType: string;
  bytes: Buffer;
}

/**
 * A picture by what its bytes are, whatever its name or its content type say. Packed ones (`.emz`, `.svgz`) come unpacked.
 * @returns undefined for one without bytes: nothing is seen of it.
 * @throws {DocxRefused} for what is no picture, or one that refers to something else.
 */
export const readPicture = (bytes: Buffer, budget: DocxBudget): Picture | undefined => {
  if (bytes.length === 0) return undefined;
  const plain = isGzip(bytes) ? unpacked(bytes, budget) : bytes;
  if (looksLikeXml(plain)) return { contentType: "image/svg+xml", bytes: selfContainedSvg(plain, budget) };
  const contentType = pictureTypeOf(plain);
  if (contentType === undefined) throw unknownContent("a picture of an unknown kind");
  return { contentType, bytes: plain };
};

const unpacked = (bytes: Buffer, budget: DocxBudget): Buffer => {
  try {
    const plain = gunzipSync(bytes, { maxOutputLength: Math.max(1, budget.unpackedBytes) });
    budget.takeUnpacked(plain.length);
    return plain;
  } catch {
    throw new DocxRefused("too_large", "the file holds a packed picture that cannot be unpacked");
  }
};
