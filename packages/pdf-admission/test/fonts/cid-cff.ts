import { cff } from "@rubrica/test-kit/pdf/font-programs";

export interface CidOptions {
  /** The characters of its glyphs, in their order. */
  characters?: readonly number[];
  /** What its list says beside, and that of its only part. */
  entries?: Buffer;
  part?: Buffer;
}

const number = (value: number): number[] => [29, value >>> 24, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff];

/** A program in the Compact Font Format whose glyphs are of characters by their numbers, all in one part. */
export const cidCff = (options: CidOptions = {}): Buffer => {
  const { characters = [1, 2, 3], entries = Buffer.alloc(0), part = Buffer.alloc(0) } = options;
  const programOf = (parts: number, select: number) => {
    const system = [...number(391), ...number(392), ...number(0), 12, 30];
    const places = [...number(parts), 12, 36, ...number(select), 12, 37];
    const list = Buffer.concat([Buffer.from(system), entries, Buffer.from(places)]);
    return cff(characters, { entries: list, strings: ["Adobe", "Identity"] });
  };
  const { length } = programOf(0, 0);
  const select = Buffer.alloc(2 + characters.length);
  const own = Buffer.concat([part, Buffer.from([...number(2), ...number(length - 2), 18])]);
  const parts = Buffer.concat([Buffer.from([0, 1, 1, 1, 1 + own.length]), own]);
  return Buffer.concat([programOf(length + select.length, length), select, parts]);
};
