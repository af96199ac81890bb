import { createHash } from "node:crypto";
import type { Glance } from "@rubrica/images";

/** A face, or a card's print, is not to be made out in less. */
const MIN_SIDE_PIXELS = 200;
/** Standard deviation of each colour, of 255, below which nothing is to be seen. */
const MIN_DEVIATION = 3;
/** Mean difference of two thumbnails' colours, of 255, below which they show one picture: compressed again, not taken again. */
const SAME_DIFFERENCE = 1;

/** What a glance at a photo tells. */
export interface GlancedPhoto {
  /** Of the bytes as they came, lower-case hex. */
  sha256: string;
  flaw: "unreadable" | "too_small" | "nothing_to_see" | null;
  /** Of 32 × 32 pixels, RGB; null when it could not be read. */
  thumbnail: Uint8Array | null;
  /** A reduced JPEG; null when it could not be read. */
  kept: Uint8Array | null;
}

/** A photo as it was glanced at; undefined: it could not be read. */
export const pictureOf = (jpeg: Uint8Array, glance: Glance | undefined): GlancedPhoto => {
  const sha256 = createHash("sha256").update(jpeg).digest("hex");
  // Whatever the decoder says: it is no picture.
  if (!glance) return { sha256, flaw: "unreadable", thumbnail: null, kept: null };
  const { width, height, deviation, thumbnail, kept } = glance;
  const isSmall = Math.min(width, height) < MIN_SIDE_PIXELS;
  const isEmpty = deviation < MIN_DEVIATION;
  return { sha256, flaw: isSmall ? "too_small" : isEmpty ? "nothing_to_see" : null, thumbnail, kept };
};

/** Whether two photos are one picture, compressed again or not. */
export const areSame = ({ thumbnail: one }: GlancedPhoto, { thumbnail: other }: GlancedPhoto): boolean => {
  if (!one || !other || one.length !== other.length) return false;
  const difference = one.reduce((sum, value, index) => sum + Math.abs(value - (other[index] ?? 0)), 0);
  return difference / one.length < SAME_DIFFERENCE;
};
