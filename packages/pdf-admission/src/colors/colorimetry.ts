/** What measured colors are on a screen, roughly: enough to tell colors from others, and text from paper. */

export type Xyz = readonly [x: number, y: number, z: number];

/** How far a color may be from the one of its device, of 1: as far as Adobe RGB, in strong greens, and as inks in which no two programs show the same. */
const FAR = 0.26;
/** Whites, by daylight and by a lamp, and what makes linear sRGB of colors under them (IEC 61966-2-1). */
const lights = [
  { white: [0.9505, 1, 1.089], toRgb: [3.2406, -1.5372, -0.4986, -0.9689, 1.8758, 0.0415, 0.0557, -0.204, 1.057] },
  { white: [0.9642, 1, 0.8249], toRgb: [3.1339, -1.6169, -0.4906, -0.9788, 1.9161, 0.0335, 0.0719, -0.229, 1.4052] },
] as const;

/** Colors that are looked at. */
export const probes = (count: number): readonly (readonly number[])[] => known[count] ?? [];

const grays = [0, 0.25, 0.5, 0.75, 1];
const primaries = (count: number): number[][] =>
  Array.from({ length: 2 ** count }, (_, bits) => Array.from({ length: count }, (_, at) => (bits >> at) & 1));
const known: Readonly<Record<number, readonly (readonly number[])[]>> = {
  1: grays.map((gray) => [gray]),
  3: [
    ...primaries(3),
    ...primaries(3).map((color) => color.map((part) => part / 2)),
    ...primaries(3).map((color) => color.map((part) => 0.25 + part / 2)),
    ...grays.map((gray) => [gray, gray, gray]),
  ],
  4: [...primaries(4), ...grays.map((gray) => [0, 0, 0, gray])],
};

/** What inks on paper are, in red, green and blue of 255: none, cyan, magenta, both; the same with yellow; all with black. */
const INKS = [
  [255, 255, 255],
  [0, 185, 242],
  [251, 49, 153],
  [16, 38, 148],
  [255, 235, 61],
  [0, 171, 79],
  [255, 46, 23],
  [44, 42, 48],
  [44, 46, 53],
  [0, 7, 39],
  [22, 0, 1],
  [0, 0, 0],
  [37, 36, 0],
  [0, 3, 0],
  [10, 0, 0],
  [6, 6, 12],
] as const;

/** About what a device shows, in red, green and blue. */
const ofDevice = (color: readonly number[]): number[] => {
  const [a = 0, b = 0, c = 0] = color;
  if (color.length === 1) return [a, a, a];
  if (color.length === 3) return [a, b, c];
  const shares = INKS.map((_, inks) =>
    color.reduce((share, amount, ink) => share * ((inks >> ink) & 1 ? amount : 1 - amount), 1),
  );
  return [0, 1, 2].map((part) => INKS.reduce((sum, ink, at) => sum + ((ink[part] ?? 0) / 255) * (shares[at] ?? 0), 0));
};

const companded = (linear: number): number =>
  linear <= 0.0031308 ? Math.max(0, 12.92 * linear) : Math.min(1, 1.055 * linear ** (1 / 2.4) - 0.055);

/** Whether a color of a device is about the same as it was measured, under a white. */
export const showsAsDevice = (color: readonly number[], measured: Xyz, white: Xyz): boolean => {
  const [daylight, lamp] = lights;
  const light = white[2] > (daylight.white[2] + lamp.white[2]) / 2 ? daylight : lamp;
  const [x = 0, y = 0, z = 0] = measured.map((value, at) => (value / (white[at] || 1)) * (light.white[at] ?? 1));
  const meant = ofDevice(color);
  return [0, 3, 6].every((row, part) => {
    const [a = 0, b = 0, c = 0] = light.toRgb.slice(row, row + 3);
    return Math.abs(companded(a * x + b * y + c * z) - (meant[part] ?? 0)) <= FAR;
  });
};
