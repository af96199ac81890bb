import { type Drawing, readDrawing } from "./reading/drawing.ts";
import { type Glance, glanceAt } from "./reading/glance.ts";
import { readPhoto } from "./reading/photo.ts";
import { type Reduced, reduce } from "./reading/reduced.ts";

/** What is to be read, and as what. */
export interface ImageTask {
  kind: keyof ImageResults;
  bytes: Uint8Array;
}

/** What comes of each; undefined when it is not such a picture. */
export interface ImageResults {
  drawing: Drawing | undefined;
  photo: Uint8Array | undefined;
  reduced: Reduced | undefined;
  glance: Glance | undefined;
}

const readers = { drawing: readDrawing, photo: readPhoto, reduced: reduce, glance: glanceAt };

/** Runs a task, in a helper process. */
export const read = ({ kind, bytes }: ImageTask): Promise<ImageResults[ImageTask["kind"]]> => readers[kind](bytes);
