import { constants, deflateRawSync } from "node:zlib";

const CHUNK_BYTES = 16 * 1_048_576;
const ZLIB_HEADER = Buffer.of(0x78, 0x9c);
const LAST_EMPTY_BLOCK = Buffer.of(0x03, 0x00);

/** A zlib stream (but for its checksum) of about 1 MB a gigabyte of spaces that come out of it, after `start`. */
const deflated = (start: string, gigabytes: number): Buffer => {
  const flushed = (bytes: Buffer) => deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH });
  // Whole blocks that refer to nothing before them can be repeated.
  const chunk = flushed(Buffer.alloc(CHUNK_BYTES, " "));
  const chunks = Array.from({ length: gigabytes * 64 }, () => chunk);
  return Buffer.concat([ZLIB_HEADER, flushed(Buffer.from(start)), ...chunks, LAST_EMPTY_BLOCK, Buffer.alloc(4)]);
};

/** A PDF whose pages lie in a compressed object stream that inflates to gigabytes. */
export const objectStreamBomb = (gigabytes = 2): Buffer => {
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R>>",
  ];
  let offset = 0;
  const index = objects.map((object, number) => {
    const entry = `${number + 1} ${offset}`;
    offset += object.length + 1;
    return entry;
  });
  const header = `${index.join(" ")} `;
  const stream = deflated(`${header}${objects.join(" ")} `, gigabytes);
  const beginning = Buffer.from("%PDF-1.7\n");
  const objectStream = Buffer.concat([
    Buffer.from(
      `4 0 obj\n<</Type/ObjStm/N 3/First ${header.length}/Filter/FlateDecode/Length ${stream.length}>>\nstream\n`,
    ),
    stream,
    Buffer.from("\nendstream\nendobj\n"),
  ]);
  const start = beginning.length + objectStream.length;
  const row = (type: number, at: number, last: number) => {
    const bytes = Buffer.alloc(6);
    bytes.writeUInt8(type, 0);
    bytes.writeUInt32BE(at, 1);
    bytes.writeUInt8(last, 5);
    return bytes;
  };
  const rows = Buffer.concat([
    row(0, 0, 255),
    row(2, 4, 0),
    row(2, 4, 1),
    row(2, 4, 2),
    row(1, beginning.length, 0),
    row(1, start, 0),
  ]);
  const crossReference = Buffer.concat([
    Buffer.from(`5 0 obj\n<</Type/XRef/Size 6/W[1 4 1]/Root 1 0 R/Length ${rows.length}>>\nstream\n`),
    rows,
    Buffer.from(`\nendstream\nendobj\nstartxref\n${start}\n%%EOF\n`),
  ]);
  return Buffer.concat([beginning, objectStream, crossReference]);
};

/** A PDF whose catalog nests arrays `depth` deep. */
export const nestingBomb = (depth = 1_000_000): Buffer =>
  Buffer.from(
    `%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R/A ${"[".repeat(depth)}${"]".repeat(depth)}>>\nendobj\n` +
      "2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\ntrailer\n<</Root 1 0 R/Size 3>>\nstartxref\n0\n%%EOF\n",
  );
