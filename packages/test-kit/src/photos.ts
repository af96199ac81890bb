import sharp from "sharp";

const person = (hue: number): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="1200"><rect width="900" height="1200" fill="hsl(${hue},30%,82%)"/><circle cx="450" cy="480" r="210" fill="#d8a983"/><path d="M90 1200 Q450 640 810 1200" fill="hsl(${hue},45%,38%)"/><circle cx="380" cy="450" r="22"/><circle cx="520" cy="450" r="22"/><path d="M370 560 Q450 620 530 560" stroke="#333" stroke-width="14" fill="none"/></svg>`;
const cardFront = (hue: number): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="1260" height="800"><rect width="1260" height="800" rx="40" fill="hsl(${hue},40%,88%)"/><rect x="70" y="180" width="330" height="430" fill="hsl(${hue},25%,60%)"/><g fill="#445"><rect x="460" y="200" width="560" height="40"/><rect x="460" y="300" width="420" height="40"/><rect x="460" y="400" width="620" height="40"/><rect x="460" y="500" width="300" height="40"/></g></svg>`;
const cardBack = (hue: number): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="1260" height="800"><rect width="1260" height="800" rx="40" fill="hsl(${hue},40%,90%)"/><g fill="#334"><rect x="70" y="560" width="1120" height="46"/><rect x="70" y="630" width="1120" height="46"/><rect x="70" y="700" width="1120" height="46"/></g></svg>`;

const drawings = { selfie: person, idFront: cardFront, idBack: cardBack } as const;

/** What is drawn in place of a photo. */
export type SamplePhotoKind = keyof typeof drawings;

/** The JPEG of a drawn face, or of a side of a drawn identity card. `hue`: 0 to 359, another one is another picture. */
export const samplePhoto = (kind: SamplePhotoKind, hue = 210): Promise<Buffer> =>
  sharp(Buffer.from(drawings[kind](hue)))
    .flatten({ background: "#ffffff" })
    .jpeg({ quality: 90 })
    .toBuffer();
