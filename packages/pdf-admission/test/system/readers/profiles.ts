/** Profiles of the International Color Consortium (ICC.1), made by hand: matrices and curves. */

const s15 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(Math.round(value * 65_536));
  return bytes;
};
const xyz = (x: number, y: number, z: number): Buffer =>
  Buffer.concat([Buffer.from("XYZ \0\0\0\0", "latin1"), s15(x), s15(y), s15(z)]);

/** A curve by its values, of 1. */
export const curveOf = (values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(12 + values.length * 2);
  bytes.write("curv", "latin1");
  bytes.writeUInt32BE(values.length, 8);
  for (const [at, value] of values.entries()) bytes.writeUInt16BE(Math.round(value * 65_535), 12 + 2 * at);
  return bytes;
};

/** A curve that is a power. */
export const powerOf = (power: number): Buffer => curveOf([(power * 256) / 65_535]);

const described = Buffer.concat([Buffer.from("desc\0\0\0\0\0\0\0\x02x\0", "latin1"), Buffer.alloc(78)]);
const always: readonly [string, Buffer][] = [
  ["desc", described],
  ["cprt", Buffer.from("text\0\0\0\0x\0", "latin1")],
  ["wtpt", xyz(0.9642, 1, 0.8249)],
];

const profileOf = (space: string, own: readonly [string, Buffer][]): string => {
  const tags = [...always, ...own];
  const head = Buffer.alloc(128);
  head.writeUInt32BE(0x02_10_00_00, 8);
  for (const [at, text] of [
    [12, "mntr"],
    [16, space],
    [20, "XYZ "],
    [36, "acsp"],
  ] as const)
    head.write(text, at, "latin1");
  Buffer.concat([s15(0.9642), s15(1), s15(0.8249)]).copy(head, 68);
  const table = Buffer.alloc(4 + tags.length * 12);
  table.writeUInt32BE(tags.length);
  const pieces: Buffer[] = [];
  let at = head.length + table.length;
  for (const [index, [name, data]] of tags.entries()) {
    const padded = Buffer.concat([data, Buffer.alloc((4 - (data.length % 4)) % 4)]);
    table.write(name, 4 + index * 12, "latin1");
    table.writeUInt32BE(at, 8 + index * 12);
    table.writeUInt32BE(data.length, 12 + index * 12);
    pieces.push(padded);
    at += padded.length;
  }
  const profile = Buffer.concat([head, table, ...pieces]);
  profile.writeUInt32BE(profile.length);
  return profile.toString("latin1");
};

/** About those of sRGB; others with other curves. */
export const rgbProfile = (curve: Buffer): string =>
  profileOf("RGB ", [
    ["rXYZ", xyz(0.436, 0.222, 0.014)],
    ["gXYZ", xyz(0.385, 0.717, 0.097)],
    ["bXYZ", xyz(0.143, 0.061, 0.714)],
    ["rTRC", curve],
    ["gTRC", curve],
    ["bTRC", curve],
  ]);

export const grayProfile = (curve: Buffer): string => profileOf("GRAY", [["kTRC", curve]]);
