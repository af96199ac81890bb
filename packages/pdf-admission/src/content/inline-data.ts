import { inflateSync } from "node:zlib";
import { fromAsciiHex } from "@rubrica/pdf-reading/ascii-hex";
import { Damaged } from "@rubrica/pdf-reading/faults";
import { type FaxParameters, isWholeFax } from "../coded/fax.ts";
import type { InlineJpegs, JpegFrame } from "../coded/jpeg.ts";
import { fromAscii85, isWholeAsciiHex, lengthOfRuns, withoutRuns } from "../filters.ts";

/** Data of pictures within contents: whether they end where their filters end. */

const MAX_INFLATED_BYTES = 16 * 1024 * 1024;

/** What is said of a picture whose data say it, too. */
export interface ToldWithin {
  frame: JpegFrame;
  transform: number | undefined;
  fax: FaxParameters;
}

/** What data are asked to be: so many bytes, or a picture. */
export interface Asked {
  size: number;
  told: ToldWithin;
  jpegs: InlineJpegs;
}

/** Whether compressed data end where their filters end, and come to a picture of so many bytes. */
export const isWholeIn = ([filter = "", ...others]: readonly string[], data: Uint8Array, asked: Asked): boolean => {
  const { size } = asked;
  const isWhole = ofPictures[filter];
  if (isWhole !== undefined) return others.length === 0 && isWhole(data, asked);
  const plain = plainFrom(filter, data);
  if (plain === undefined) return false;
  // Text that holds compressed data, as some programs write it for printers of old.
  return others.length === 0 ? plain.length >= size : TEXTUAL.test(filter) && isWholeIn(others, plain, asked);
};

/** Whether the data of a filter end by themselves where they end. */
const endsByItself = (data: Uint8Array, mark: readonly number[]): boolean =>
  Buffer.from(data).indexOf(Buffer.from(mark)) === data.length - mark.length;

const fromFlate = (data: Uint8Array): Uint8Array | undefined => {
  try {
    const options = { info: true, maxOutputLength: MAX_INFLATED_BYTES };
    const { buffer, engine } = inflateSync(data, options) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    return engine.bytesWritten === data.length ? buffer : undefined;
  } catch {
    return undefined;
  }
};

const fromRuns = (data: Uint8Array): Uint8Array | undefined => {
  const length = lengthOfRuns(data);
  return length === undefined || length > MAX_INFLATED_BYTES ? undefined : withoutRuns(data, length);
};

/** Two ends of lines (EOFB, ITU-T T.6), at any bit, and nothing but the bits that are left of a byte. */
const endsAsFax = (data: Uint8Array): boolean => {
  let bits = 0;
  for (let at = 0; at < data.length; at += 1) {
    bits = ((bits << 8) | (data[at] ?? 0)) >>> 0;
    const shift = at < 2 ? -1 : [0, 1, 2, 3, 4, 5, 6, 7].findIndex((one) => ((bits >>> one) & 0xffffff) === 0x001001);
    if (shift >= 0) return at === data.length - 1 && (bits & (2 ** shift - 1)) === 0;
  }
  return false;
};

/** Filters that tell by their data how large a picture is. */
const ofPictures: Readonly<Record<string, (data: Uint8Array, asked: Asked) => boolean>> = Object.fromEntries(
  (
    [
      [
        "DCT DCTDecode",
        (data: Uint8Array, { told, jpegs }: Asked) =>
          endsByItself(data, [0xff, 0xd9]) && jpegs.isSound(data, told.frame, told.transform),
      ],
      [
        "CCF CCITTFaxDecode",
        (data: Uint8Array, { told: { fax, frame } }: Asked) =>
          endsAsFax(data) && fax.columns === frame.width && isWholeFax(data, fax),
      ],
    ] as const
  ).flatMap(([names, isWhole]) => names.split(" ").map((name) => [name, isWhole])),
);

const TEXTUAL = /^(?:AHx|ASCIIHexDecode|A85|ASCII85Decode)$/;
const decoders: Readonly<Record<string, (data: Uint8Array) => Uint8Array | undefined>> = Object.fromEntries(
  (
    [
      ["AHx ASCIIHexDecode", (data: Uint8Array) => (isWholeAsciiHex(data) ? fromAsciiHex(data) : undefined)],
      ["A85 ASCII85Decode", fromAscii85],
      ["RL RunLengthDecode", fromRuns],
      ["Fl FlateDecode", fromFlate],
    ] as const
  ).flatMap(([names, decode]) => names.split(" ").map((name) => [name, decode])),
);

/** Data without a compression; undefined where they do not end where it ends. */
export const plainFromAll = (filters: readonly string[], data: Uint8Array): Uint8Array | undefined =>
  filters.reduce((left: Uint8Array | undefined, filter) => left && plainFrom(filter, left), data);

const plainFrom = (filter: string, data: Uint8Array): Uint8Array | undefined => {
  try {
    return decoders[filter]?.(data);
  } catch (error) {
    if (error instanceof Damaged) return undefined;
    throw error;
  }
};
