/** What a picture in JPEG says of itself: readers that find something else in the file go on each in its own way. */

export interface JpegFrame {
  width: number;
  height: number;
  components: number;
  /** Bits of a component. */
  depth: number;
}

const [MARKER, START, END] = [0xff, 0xd8, 0xd9];
/** Markers that nothing belongs to: fill bytes, what stands alone, starts again. */
const isAlone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= START);
/** Frames (ITU-T T.81, table B.1); others of these markers are tables. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
const END_MARK = Buffer.from([MARKER, END]);

/** The frame of a picture; undefined where there is none, or the mark that ends it is missing. */
export const frameOf = (data: Uint8Array): JpegFrame | undefined => {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  let at = bytes.indexOf(Buffer.from([MARKER, START])) + 2;
  while (at >= 2 && at + 10 <= bytes.length) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== MARKER || marker === MARKER) at += 1;
    else if (isAlone(marker)) at += 2;
    else if (isFrame(marker)) return bytes.indexOf(END_MARK, at) < 0 ? undefined : frameAt(bytes, at + 4);
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
};

const frameAt = (bytes: Buffer, at: number): JpegFrame => ({
  depth: bytes.readUInt8(at),
  height: bytes.readUInt16BE(at + 1),
  width: bytes.readUInt16BE(at + 3),
  components: bytes.readUInt8(at + 5),
});
