import sharp from "sharp";

type Colour = readonly [red: number, green: number, blue: number];

/** A rectangle, or the ellipse that fills it. */
interface Shape {
  x: number;
  y: number;
  width: number;
  height: number;
  colour: Colour;
  isRound?: boolean;
}

interface Drawing {
  width: number;
  height: number;
  ground: Colour;
  shapes: readonly Shape[];
}

/** Of hue, saturation and lightness, the latter two from 0 to 1; see https://www.w3.org/TR/css-color-4/#hsl-to-rgb. */
const hsl = (hue: number, saturation: number, lightness: number): Colour => {
  const channel = (number: number): number => {
    const at = (number + hue / 30) % 12;
    const share = saturation * Math.min(lightness, 1 - lightness);
    return Math.round(255 * (lightness - share * Math.max(-1, Math.min(at - 3, 9 - at, 1))));
  };
  return [channel(0), channel(8), channel(4)];
};

const SKIN: Colour = [216, 169, 131];
const DARK: Colour = [51, 51, 68];

const person = (hue: number): Drawing => ({
  width: 900,
  height: 1_200,
  ground: hsl(hue, 0.3, 0.82),
  shapes: [
    { x: 90, y: 760, width: 720, height: 900, colour: hsl(hue, 0.45, 0.38), isRound: true },
    { x: 240, y: 270, width: 420, height: 420, colour: SKIN, isRound: true },
    { x: 358, y: 428, width: 44, height: 44, colour: DARK, isRound: true },
    { x: 498, y: 428, width: 44, height: 44, colour: DARK, isRound: true },
    { x: 370, y: 560, width: 160, height: 30, colour: DARK, isRound: true },
  ],
});

const cardFront = (hue: number): Drawing => ({
  width: 1_260,
  height: 800,
  ground: hsl(hue, 0.4, 0.88),
  shapes: [
    { x: 70, y: 180, width: 330, height: 430, colour: hsl(hue, 0.25, 0.6) },
    ...[560, 420, 620, 300].map((width, line) => ({ x: 460, y: 200 + 100 * line, width, height: 40, colour: DARK })),
  ],
});

const cardBack = (hue: number): Drawing => ({
  width: 1_260,
  height: 800,
  ground: hsl(hue, 0.4, 0.9),
  shapes: [560, 630, 700].map((y) => ({ x: 70, y, width: 1_120, height: 46, colour: DARK })),
});

const drawings = { selfie: person, idFront: cardFront, idBack: cardBack } as const;

/** What is drawn in place of a photo. */
export type SamplePhotoKind = keyof typeof drawings;

const holds = ({ x, y, width, height, isRound = false }: Shape, column: number, row: number): boolean => {
  const [across, down] = [(2 * (column - x)) / width - 1, (2 * (row - y)) / height - 1];
  return isRound ? across * across + down * down <= 1 : Math.abs(across) <= 1 && Math.abs(down) <= 1;
};

/** Three bytes a pixel. Drawn by hand: where photos are read, the image library is told to read nothing but photos. */
const pixelsOf = ({ width, height, ground, shapes }: Drawing): Buffer => {
  const pixels = Buffer.alloc(width * height * 3, Buffer.from(ground));
  for (const shape of shapes) {
    for (let row = shape.y; row < Math.min(shape.y + shape.height, height); row += 1) {
      for (let column = shape.x; column < shape.x + shape.width; column += 1) {
        if (holds(shape, column, row)) pixels.set(shape.colour, 3 * (row * width + column));
      }
    }
  }
  return pixels;
};

/** The JPEG of a drawn face, or of a side of a drawn identity card. `hue`: 0 to 359, another one is another picture. */
export const samplePhoto = (kind: SamplePhotoKind, hue = 210): Promise<Buffer> => {
  const drawing = drawings[kind](hue);
  const { width, height } = drawing;
  return sharp(pixelsOf(drawing), { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer();
};
