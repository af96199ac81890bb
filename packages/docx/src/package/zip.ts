import { crc32, inflateRawSync } from "node:zlib";
import { DocxRefused, damaged } from "../refused.ts";

/** Parts of a package; real ones have some dozens. */
const MAX_ENTRIES = 2_000;
/** All parts together, inflated. */
const MAX_INFLATED_BYTES = 100 * 1024 * 1024;

const END_SIGNATURE = 0x06054b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const END_BYTES = 22;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;
const MAX_COMMENT_BYTES = 0xffff;
const ENCRYPTED_FLAG = 0x1;
const STORED = 0;
const DEFLATED = 8;

/** A record of the central directory (APPNOTE.TXT 4.3.12). */
interface Entry {
  name: string;
  flags: number;
  method: number;
  crc: number;
  packedBytes: number;
  inflatedBytes: number;
  offset: number;
}

const broken = (): DocxRefused => damaged("it is no readable ZIP archive");

/**
 * The parts of a ZIP archive, inflated, by name; folders are left out.
 *
 * Strict, so that a bomb is refused before it bursts and no other reader can see another archive in the same bytes:
 * the central directory rules, each record must lie where it says, alone, and hold exactly the bytes that it promises.
 * @throws {DocxRefused}
 */
export const readZip = (bytes: Uint8Array): Map<string, Buffer> => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(buffer);
  const count = buffer.readUInt16LE(end + 10);
  const directoryOffset = buffer.readUInt32LE(end + 16);
  if (count > MAX_ENTRIES) throw new DocxRefused("too_many_entries", `the file has more than ${MAX_ENTRIES} parts`);
  const entries = readDirectory(buffer, directoryOffset, count, end);
  const inflatedBytes = entries.reduce((sum, entry) => sum + entry.inflatedBytes, 0);
  if (inflatedBytes > MAX_INFLATED_BYTES) {
    throw new DocxRefused("too_large", `the file inflates to more than ${MAX_INFLATED_BYTES / 1024 / 1024} MB`);
  }
  const packed = locate(buffer, entries, directoryOffset);
  const parts = new Map<string, Buffer>();
  for (const { entry, data } of packed) {
    if (parts.has(entry.name)) throw new DocxRefused("overlapping_entries", "the file has two parts of one name");
    if (!entry.name.endsWith("/")) parts.set(entry.name, inflate(entry, data));
  }
  return parts;
};

const findEnd = (buffer: Buffer): number => {
  const lowest = Math.max(0, buffer.length - END_BYTES - MAX_COMMENT_BYTES);
  for (let at = buffer.length - END_BYTES; at >= lowest; at--) {
    if (buffer.readUInt32LE(at) === END_SIGNATURE && at + END_BYTES + buffer.readUInt16LE(at + 20) <= buffer.length) {
      return at;
    }
  }
  throw broken();
};

const readDirectory = (buffer: Buffer, start: number, count: number, end: number): Entry[] => {
  const entries: Entry[] = [];
  let at = start;
  for (let index = 0; index < count; index++) {
    if (at + CENTRAL_BYTES > end || buffer.readUInt32LE(at) !== CENTRAL_SIGNATURE) throw broken();
    const nameBytes = buffer.readUInt16LE(at + 28);
    const next = at + CENTRAL_BYTES + nameBytes + buffer.readUInt16LE(at + 30) + buffer.readUInt16LE(at + 32);
    if (next > end) throw broken();
    entries.push({
      name: nameOf(buffer.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes)),
      flags: buffer.readUInt16LE(at + 8),
      method: buffer.readUInt16LE(at + 10),
      crc: buffer.readUInt32LE(at + 16),
      packedBytes: buffer.readUInt32LE(at + 20),
      inflatedBytes: buffer.readUInt32LE(at + 24),
      offset: buffer.readUInt32LE(at + 42),
    });
    at = next;
  }
  return entries;
};

/** Some producers write backslashes; a part's name is a path inside of the package, never one out of it. */
const nameOf = (bytes: Buffer): string => {
  const name = bytes.toString("utf8").replaceAll("\\", "/");
  if (name === "" || name.startsWith("/") || name.includes("\0") || name.split("/").includes("..")) throw broken();
  return name;
};

/** Where each entry's packed bytes lie: within the archive, before the directory, and shared with no other. */
const locate = (
  buffer: Buffer,
  entries: readonly Entry[],
  directoryOffset: number,
): { entry: Entry; data: Buffer }[] => {
  let free = 0;
  return [...entries]
    .sort((a, b) => a.offset - b.offset)
    .map((entry) => {
      const { offset, packedBytes } = entry;
      if (offset + LOCAL_BYTES > directoryOffset || buffer.readUInt32LE(offset) !== LOCAL_SIGNATURE) throw broken();
      const nameEnd = offset + LOCAL_BYTES + buffer.readUInt16LE(offset + 26);
      const start = nameEnd + buffer.readUInt16LE(offset + 28);
      if (start + packedBytes > directoryOffset) throw broken();
      if (offset < free) throw new DocxRefused("overlapping_entries", "the file has parts that share their bytes");
      free = start + packedBytes;
      if (nameOf(buffer.subarray(offset + LOCAL_BYTES, nameEnd)) !== entry.name) throw broken();
      return { entry, data: buffer.subarray(start, start + packedBytes) };
    });
};

const inflate = ({ flags, method, inflatedBytes, crc }: Entry, data: Buffer): Buffer => {
  if (flags & ENCRYPTED_FLAG) throw new DocxRefused("encrypted", "the file is protected with a password");
  if (method !== STORED && method !== DEFLATED) throw broken();
  let plain: Buffer;
  try {
    // One byte more than promised is enough to see that the promise is broken.
    plain = method === STORED ? data : inflateRawSync(data, { maxOutputLength: inflatedBytes + 1 });
  } catch {
    throw broken();
  }
  if (plain.length !== inflatedBytes || crc32(plain) !== crc) throw broken();
  return plain;
};
